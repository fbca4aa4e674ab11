import CardData
import HIDReaders
package import ReaderKit

/// MRS100 and its clones in "active mode": a frame for each card.
///
///      0   1     2        3      4      5 …       n    n+1
///     02  LEN  COMMAND  MODE  Y or N  TRACKS      03   BCC
///
///     LEN   bytes between it and 03 · COMMAND  33: a card was read · N is followed by an error's number
///     BCC   XOR; of which bytes the one source does not say: from LEN to 03, from 02 to 03, and from LEN to what stands before 03
///           are all taken
///
/// Source: one developer's article. Models that send plain text instead are of type `text-line`.
package struct MRS100Line: SerialFrames {
    package static let descriptor = DriverDescriptor(
        name: "mrs100-line", kind: "mrs100",
        matches: [
            DeviceMatch(
                bus: .serial, model: "MRS100, MSR100 and clones (frames)",
                support: .shouldWork(
                    why: "frames of one published description; no recording, and none was at hand"))
        ])

    package static let patience = Duration.milliseconds(250)
    private static let start: UInt8 = 0x02
    private static let end: UInt8 = 0x03
    private static let cardRead: UInt8 = 0x33
    private static let head = 3

    private var frames = FrameSearcher()

    package init() {}

    package var isPending: Bool { frames.isPending }

    package mutating func receive(_ bytes: [UInt8]) -> [SerialFinding] {
        frames.add(bytes)
        return take(isOver: false)
    }

    package mutating func silence() -> [SerialFinding] { take(isOver: true) }

    package mutating func lose() { frames.clear() }

    private mutating func take(isOver: Bool) -> [SerialFinding] {
        frames.take(isOver: isOver, Self.frame).flatMap { found -> [SerialFinding] in
            switch found {
            case .garbage(let count): [.malformed("\(count) bytes that are no frame of an MRS100")]
            case .frame(let frame): Self.findings(in: frame)
            }
        }
    }

    private static func frame(_ bytes: ArraySlice<UInt8>) -> FrameSearcher.Length {
        let start = bytes.startIndex
        guard bytes[start] == Self.start else { return .none }
        guard bytes.count >= 2 else { return .unknown }
        let length = Int(bytes[start + 1])
        guard length >= head else { return .none }
        let place = start + 2 + length
        guard bytes.endIndex >= place + 2 else { return .unknown }
        // Before the sums: what is none costs little, however much of it comes.
        guard bytes[place] == end else { return .none }
        let fromLength = bytes[(start + 1)..<place].reduce(0, ^)
        let sums = [fromLength ^ end, fromLength ^ end ^ Self.start, fromLength]
        return sums.contains(bytes[place + 1]) ? .bytes(length + 4) : .none
    }

    private static func findings(in frame: [UInt8]) -> [SerialFinding] {
        let body = frame[2..<(frame.count - 2)]
        guard frame[2] == cardRead else { return [] }
        guard frame[4] == UInt8(ascii: "Y") else {
            return [.swipe(Swipe(tracks: [], quality: SwipeQuality(hint: .noisy)), serial: nil)]
        }
        return LineTracks.findings(in: Array(body.dropFirst(head)))
    }
}
