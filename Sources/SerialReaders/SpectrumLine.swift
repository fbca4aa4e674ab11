import CardData
import HIDReaders
package import ReaderKit

/// ID TECH Spectrum III: an insert reader on RS-232, or on USB as a line (0acd:0630).
///
///      0    1  2    3        4       …                  n+3  n+4
///     KIND  HI LO  COMMAND  STATUS  TRACK 0D TRACK …     LRC  03
///
///     KIND    60 fine, E0 refused · HI LO  length of what stands between them and LRC
///     STATUS  bit 0 no data, 1 seated, 2 media, 3 card present, 4 magnetic data, 5 in slot, 6 not pushed in all the way
///     LRC     XOR of all bytes before it
///
/// Source: one open client (pyidtech); no document was at hand. ASSUMPTION: it sends a card's data of itself.
package struct SpectrumLine: SerialFrames {
    package static let descriptor = DriverDescriptor(
        name: "spectrum3-line", kind: "idtech",
        matches: [
            DeviceMatch(
                bus: .serial, model: "ID TECH Spectrum III",
                support: .shouldWork(
                    why: "frames as one open client reads them; no recording, and none was at hand"))
        ])

    package static let patience = Duration.milliseconds(250)
    private static let fine: UInt8 = 0x60
    private static let refused: UInt8 = 0xE0
    private static let end: UInt8 = 0x03
    /// The client's largest message.
    private static let maximumData = 259
    private static let incompleteInsertion: UInt8 = 0x40

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
            case .garbage(let count): [.malformed("\(count) bytes that are no frame of a Spectrum III")]
            case .frame(let frame): Self.findings(in: frame)
            }
        }
    }

    private static func frame(_ bytes: ArraySlice<UInt8>) -> FrameSearcher.Length {
        let start = bytes.startIndex
        guard bytes[start] == fine || bytes[start] == refused else { return .none }
        guard bytes.count >= 3 else { return .unknown }
        let length = Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        guard length <= maximumData else { return .none }
        let whole = 3 + length + 2
        guard bytes.count >= whole else { return .unknown }
        let trailer = start + 3 + length
        guard bytes[trailer + 1] == end else { return .none }
        let redundancy = bytes[start..<trailer].reduce(0, ^)
        return bytes[trailer] == redundancy ? .bytes(whole) : .none
    }

    private static func findings(in frame: [UInt8]) -> [SerialFinding] {
        guard frame[0] == fine else { return [.malformed("the reader refuses a command that nobody sent")] }
        let data = Array(frame[3..<(frame.count - 2)])
        guard data.count >= 2 else { return [] }
        let card = SpectrumCard(data[2...])
        if card.texts.isEmpty, card.failed.isEmpty, data[1] & incompleteInsertion != 0 {
            return [.swipe(Swipe(tracks: [], quality: SwipeQuality(hint: .partial)), serial: nil)]
        }
        guard let tracks = card.tracks else {
            return [
                .malformed("\(card.texts.count) tracks, and a status that speaks of \(card.decoded.count)")
            ]
        }
        return tracks.isEmpty ? [] : LineTracks.findings(in: tracks)
    }
}

/// What a Spectrum III says of a card: a status, and the tracks that it decoded.
///
///     [STATUS] TRACK 0D TRACK 0D TRACK     STATUS: bits 0, 1, 2 track 1, 2, 3 was decoded; bits 3, 4, 5 it has data
///
/// A sentinel does not tell tracks 2 and 3 apart, and what failed leaves nothing in its place: where the status is there, it says
/// whose text is whose. ASSUMPTION: a byte in front of the first sentinel is the status; the one client shows it so.
struct SpectrumCard {
    private(set) var texts: [[UInt8]]
    /// The numbers of the tracks, by the status; nil where none was sent.
    private let status: UInt8?

    init(_ bytes: ArraySlice<UInt8>) {
        let hasStatus =
            !Self.isSentinel(bytes.first) || bytes.count > 1 && Self.isSentinel(bytes.dropFirst().first)
        status = hasStatus ? bytes.first : nil
        texts = bytes.dropFirst(hasStatus ? 1 : 0).split(separator: 0x0D).map(Array.init)
    }

    /// Numbers of the tracks that were decoded.
    var decoded: [Int] { numbers(from: 0) }
    /// Of those that have data and were not.
    var failed: [Int] { numbers(from: 3).filter { !decoded.contains($0) } }

    private func numbers(from bit: Int) -> [Int] {
        (1...3).filter { (status ?? 0) & (1 << (bit + $0 - 1)) != 0 }
    }

    /// The tracks in the form in which readers type them, a failed one as its mark (`%E?`); nil where the status speaks of others.
    /// A status without a bit of a card tells nothing.
    var tracks: [UInt8]? {
        guard !decoded.isEmpty || !failed.isEmpty else { return texts.flatMap(\.self) }
        guard texts.count == decoded.count else { return nil }
        var left = texts[...]
        return (1...3).flatMap { number -> [UInt8] in
            if decoded.contains(number) { return Self.placed(left.removeFirst(), number) }
            return failed.contains(number) ? [Self.sentinels[number - 1]] + "E?".utf8 : []
        }
    }

    /// A third track with a sentinel of its own, which says that it is one where no second one is there.
    private static func placed(_ text: [UInt8], _ number: Int) -> [UInt8] {
        number == 3 && text.first == UInt8(ascii: ";") ? [sentinels[2]] + text.dropFirst() : text
    }

    private static let sentinels = Array("%;+".utf8)

    private static func isSentinel(_ byte: UInt8?) -> Bool { byte.map(sentinels.contains) ?? false }
}

/// Tracks that a frame holds, as text.
enum LineTracks {
    static func findings(in tracks: [UInt8]) -> [SerialFinding] {
        ReaderText.read(tracks).map { result in
            switch result {
            case .success(let found): .swipe(found.swipe, serial: found.serial)
            case .failure(let refusal): .malformed(refusal.sentence)
            }
        }
    }
}
