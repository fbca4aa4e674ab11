// fuzzclient session SOCKET STEPS SEED
// fuzzclient device PIPE STEPS SEED hid|audio [REPORT]
//
// Hostile use of a running daemon from outside. `session` makes connections and drives them with random valid
// requests, broken lines, half lines, binary, lines without end, descriptors sent along, sudden and half closes; a step
// is one line or one such deed. Every reply is checked: whole lines, one for each request, in order, with its id; a
// well-behaved client beside it is answered all the time. `device` writes broken and random reports, or sound, into
// a virtual reader's source. A failure prints the seed, which gives the same run again, and exits 1.
import Glibc
import LoadMeasures

let words = CommandLine.arguments
guard words.count >= 5, let steps = Int(words[3]), let seed = UInt64(words[4]) else {
    print(
        "usage: fuzzclient session SOCKET STEPS SEED | fuzzclient device PIPE STEPS SEED hid|audio [REPORT]")
    exit(2)
}
Sockets.raiseLimit()
switch words[1] {
case "session":
    var fuzzing = SessionFuzzing(words[2], seed: seed)
    exit(fuzzing.run(steps) ? 0 : 1)
case "device":
    let isSound = words.count > 5 && words[5] == "audio"
    var fuzzing = DeviceFuzzing(
        words[2], seed: seed, isSound: isSound, report: words.count > 6 ? words[6] : nil)
    exit(fuzzing.run(steps) ? 0 : 1)
default: exit(2)
}
