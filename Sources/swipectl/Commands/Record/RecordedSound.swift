import DeviceIO
import Glibc
import ReaderKit
import ReaderRecordings
import StripeSignal

/// A sound card's input: every sample of it, or a line for each swipe.
struct RecordedSound: RecordedDevice {
    let head: ReaderRecording.Head
    let words: String
    let close: @Sendable () async -> Void

    private static let fullScale = 32_768.0
    /// Lengths are told to a hundredth of a second, and no finer.
    private static let partsASecond = 100
    private static let framesALine = 4_096

    private let card: CaptureTransport
    private let rate: Int
    private var decoder: StripeDecoder
    private var frames = 0
    /// The highest sample since the last swipe.
    private var peak = 0

    init(_ pcm: String, definition: String?, _ content: ReaderRecording.Content)
        async throws(CommandFailure)
    {
        do throws(DeviceError) {
            card = try await CaptureTransport.open(CaptureConfiguration(pcm: pcm, definition: definition))
        } catch {
            throw error.failure(pcm)
        }
        rate = card.format?.sampleRate ?? 48_000
        decoder = StripeDecoder(sampleRate: rate, options: StripeOptions())
        head = .sound(rate: rate, content)
        words = "\(pcm), \(rate) samples a second"
        close = { [card] in await card.close() }
    }

    mutating func next() async throws -> [RecordedPiece] {
        let block: SampleBlock
        do throws(DeviceError) { block = try await card.receive() } catch {
            throw error.failure(words)
        }
        // The recording's clock is the card's: a busy machine changes nothing.
        let time = frames * 1_000_000 / rate
        frames += block.samples.count
        peak = max(peak, block.samples.map { Int($0.magnitude) }.max() ?? 0)
        let swipes = decoder.process(block.samples.span).compactMap { event -> StripeSwipe? in
            if case .swipe(let swipe) = event { swipe } else { nil }
        }
        guard head.content == .shapes else { return pieces(block.samples, from: time, !swipes.isEmpty) }
        defer { if !swipes.isEmpty { peak = 0 } }
        return swipes.map { RecordedPiece(report: shape(of: $0)) }
    }

    /// In lines that a recording may have, however large the card's blocks are.
    private func pieces(_ samples: [Int16], from time: Int, _ counts: Bool) -> [RecordedPiece] {
        let starts = stride(from: 0, to: samples.count, by: Self.framesALine)
        return starts.map { start in
            let bytes = samples[start...].prefix(Self.framesALine).flatMap {
                [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
            }
            return RecordedPiece(
                report: ReaderRecording.Report(
                    time: time + start * 1_000_000 / rate, length: bytes.count, bytes: bytes),
                counts: counts && start + Self.framesALine >= samples.count)
        }
    }

    private func shape(of swipe: StripeSwipe) -> ReaderRecording.Report {
        let part = rate / Self.partsASecond
        func rounded(_ frame: UInt64) -> Int { (Int(clamping: frame) + part / 2) / part * part }
        let (start, end) = (rounded(swipe.startSample), rounded(swipe.endSample))
        return ReaderRecording.Report(
            time: start * 1_000_000 / rate, length: 2 * (end - start),
            tracks: ReaderRecording.shapes(of: swipe.tracks),
            peak: Int((20 * log10(Double(max(peak, 1)) / Self.fullScale)).rounded()))
    }
}
