import CardData
import Foundation
import WaveformSynthesis

/// Recordings made for a test, in a folder that goes with it.
final class SoundFixture {
    static let track1 = "%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?"
    static let track2 = ";4266841088889999=080910110000046?"

    /// How samples are written: WAV's format tag, and the bits of one.
    enum Form: String, CaseIterable, Sendable {
        case u8, s16, s24, s32, f32, f64

        var tag: Int { self == .f32 || self == .f64 ? 3 : 1 }
        var bits: Int { Int(rawValue.dropFirst()) ?? 0 }

        func bytes(_ sample: Int16) -> [UInt8] {
            switch self {
            case .u8: [UInt8(truncatingIfNeeded: (Int(sample) >> 8) + 128)]
            case .s16: little(Int(sample), 2)
            case .s24: little(Int(sample) << 8, 3)
            case .s32: little(Int(sample) << 16, 4)
            case .f32: little(Int((Float(sample) / 32768).bitPattern), 4)
            case .f64: little(Int(truncatingIfNeeded: (Double(sample) / 32768).bitPattern), 8)
            }
        }
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "swipes-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func swipe(
        _ text: String, track: Int = 2, seed: UInt64 = 1, _ change: (inout StripeRecipe) -> Void = { _ in }
    ) throws -> [Int16] {
        var recipe = try StripeRecipe(
            text: text, format: track == 1 ? .iso1 : .iso2,
            bitsPerInch: StripeRecipe.bitsPerInch(track: track))
        change(&recipe)
        return StripeSynthesizer.samples(recipe, seed: seed)
    }

    /// Channels of the same length, interleaved.
    static func data(_ channels: [[Int16]], _ form: Form) -> Data {
        let frames = channels.map(\.count).max() ?? 0
        var bytes: [UInt8] = []
        for frame in 0..<frames {
            for channel in channels { bytes += form.bytes(frame < channel.count ? channel[frame] : 0) }
        }
        return Data(bytes)
    }

    /// A WAV file's bytes; `announced` is the length that its header tells, where that is not the true one.
    static func wav(_ channels: [[Int16]], _ form: Form = .s16, announced: Int? = nil) -> Data {
        let data = data(channels, form)
        let width = form.bits / 8 * channels.count
        let rate = 44_100
        let header =
            Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
            + little(form.tag, 2) + little(channels.count, 2) + little(rate, 4) + little(rate * width, 4)
            + little(width, 2) + little(form.bits, 2) + Array("data".utf8)
            + little(announced ?? data.count, 4)
        return Data(header) + data
    }

    func write(_ data: Data, _ name: String) throws -> String {
        let file = folder.appending(path: name)
        try data.write(to: file)
        return file.path
    }
}

private func little(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
