// A reader of software at the other end of a sound card, for a loopback card of the kernel's or a virtual card's pipes:
//
//     jack-reader KIND RATE COMMANDS [BAUD [SEED]]
//
// It hears what the card plays on standard input (16 bits, two channels) and says as many frames on standard output
// (16 bits, one channel). COMMANDS is a FIFO: a line `swipe` swipes a card over a channel with noise, `swipes 100` so many, each
// as soon as the reader waits for one, `bad` one that the reader cannot read, `quit` ends it. What it did stands on standard
// error, a line each; of a swipe also what was sent: key serial number and ciphertext.
import AudioReaders
import Glibc
import ReaderKit
import ReaderTesting

func usage() -> Never {
    JackReader.say(
        "usage: jack-reader unimag|ips|ips_enterprise|headphone|silence RATE COMMANDS [BAUD [SEED]]")
    exit(2)
}

let words = Array(CommandLine.arguments.dropFirst())
guard (3...5).contains(words.count), let rate = Int(words[1]), (8_000...192_000).contains(rate),
    let kind = JackReader.kind(words[0], baud: words.count > 3 ? Int(words[3]) : nil)
else { usage() }
// Other packets and other noise at each rate and speed and with each seed, the same in each run.
var seed = UInt64(rate)
for word in words.dropFirst(3) { seed = seed << 20 | (UInt64(word) ?? 0) }
// For writing too: a FIFO that nobody writes to is no end of file.
let commands = open(words[2], O_RDWR | O_NONBLOCK | O_CLOEXEC)
guard commands >= 0 else { usage() }
var reader = JackReader(kind, rate: rate, commands: commands, seed: seed)
reader.run()
