import ReaderKit

@testable import SerialReaders

/// What clients hear of the bytes of a line.
enum LineSignals {
    private static let device = DeviceIdentity(readerID: "serial-till", bus: .serial, node: "/dev/ttyS0")

    /// Everything that a driver says of these bytes, in pieces of that size, a pause behind them.
    static func of<Frames: SerialFrames>(
        _ frames: Frames.Type, _ bytes: [[UInt8]], pieces: Int = Int.max
    ) -> [ReaderSignal] {
        var driver = SerialListener<Frames>(device)
        var actions = driver.start()
        for burst in bytes {
            for start in stride(from: 0, to: burst.count, by: min(pieces, max(burst.count, 1))) {
                actions += driver.receive(SerialBytes(Array(burst[start...].prefix(pieces))))
            }
            actions += driver.timerFired()
        }
        return actions.compactMap { if case .signal(let signal) = $0 { signal } else { nil } }
    }

    static func swipes(_ signals: [ReaderSignal]) -> [Swipe] {
        signals.compactMap { if case .swiped(let swipe) = $0 { swipe } else { nil } }
    }

    static func complaints(_ signals: [ReaderSignal]) -> [String] {
        signals.compactMap { if case .notice(.malformed(let what)) = $0 { what } else { nil } }
    }
}
