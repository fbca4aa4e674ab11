import AudioReaders
import CardData
import Glibc
import SectionFiles
import StripeSignal

/// Files that operators write, and the header of a recording.
///
///     first byte   which file: card formats, acoustic profiles, configuration, WAV
///     the rest     the file
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFiles(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: data, count: size)
    guard let choice = input.first else { return 0 }
    let file = Array(input.dropFirst())
    switch choice & 3 {
    case 0: formats(String(decoding: file, as: UTF8.self))
    case 1: profiles(String(decoding: file, as: UTF8.self))
    case 2: _ = try? SectionFile(String(decoding: file, as: UTF8.self), form: .any, maximumBytes: file.count)
    default: sound(file)
    }
    return 0
}

/// A format that is taken can be written in: its sentinels have bits.
private func formats(_ text: String) {
    guard let file = try? FormatFile(text) else { return }
    for format in file.formats {
        let sentinels = [format.coding.startSentinel, format.coding.endSentinel]
        precondition((try? format.coding.bits(of: sentinels)) != nil, "a format without its sentinels")
    }
}

/// A profile that is taken is taken again as it is written down.
private func profiles(_ text: String) {
    guard let file = try? AcousticProfileFile(text) else { return }
    precondition(file.added().count >= file.profiles.count, "a profile is lost")
    for profile in file.profiles {
        precondition((try? AcousticProfileFile(profile.section)) != nil, "a profile is not taken again")
    }
}

/// As a file in memory, since recordings are read piece by piece.
private func sound(_ file: [UInt8]) {
    let path = "/dev/shm/fuzz-files-\(getpid())"
    let descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let written = write(descriptor, file, file.count)
    close(descriptor)
    defer { unlink(path) }
    guard written == file.count, let input = try? SoundInput(path), var wav = try? WAVFile(input) else {
        return
    }
    precondition(WAVFile.sampleRates.contains(wav.format.sampleRate), "a sample rate that is none")
    precondition((1...WAVFile.mostChannels).contains(wav.format.channels), "channels that are none")
    while let piece = try? wav.next() {
        precondition(piece.channels.count == wav.format.channels, "a channel is lost")
    }
}
