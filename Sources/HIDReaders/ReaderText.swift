import CardData
package import ReaderKit
import ReaderPackets

/// Swipes in text as a reader itself types or sends it: clear tracks, MagTek's streams, ID TECH's typed packets.
///
/// Strict, unlike the reading of captures that somebody wrote down: nothing is mended. Line ends part swipes, and the tracks of
/// one where each has a line of its own.
package enum ReaderText {
    /// Three of the longest streams; more in one go is none of a reader's.
    package static let maximumCharacters = 3 * MagTekStream.maximumCharacters

    package struct Found: Sendable, Hashable {
        package var swipe: Swipe
        package var serial: String?
        /// Whether a check sum over all of it was right.
        package var isChecked: Bool
    }

    /// Why a text is no swipe, in words that hold nothing of it.
    package struct Refusal: Error, Sendable, Hashable {
        package var sentence: String
    }

    /// Everything in a text, in its order.
    package static func read(_ text: [UInt8]) -> [Result<Found, Refusal>] {
        guard text.count <= maximumCharacters else {
            return [.failure(Refusal(sentence: "text of more than \(maximumCharacters) characters"))]
        }
        return joined(text.split(whereSeparator: isLineEnd).map(Array.init)).map(swipe)
    }

    /// Whether a text has the beginning of a track, or of a packet.
    package static func mayHoldSwipe(_ text: [UInt8]) -> Bool {
        text.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") || $0 == TrackScan.jisSentinel }
    }

    /// Whether a text has a JIS II stripe, whose characters are any.
    package static func isJIS(_ text: [UInt8]) -> Bool { text.contains(TrackScan.jisSentinel) }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }

    /// Lines with a track each are one swipe as long as what they make together is one: a third track may begin as a second one does.
    private static func joined(_ lines: [[UInt8]]) -> [[UInt8]] {
        var joined: [[UInt8]] = []
        for line in lines {
            if let last = joined.last, !isWhole(last), !isWhole(line), !TwoCards.begins(line, behind: last),
                let count = trackCount(last),
                trackCount(line) == 1, trackCount(last + line) == count + 1
            {
                joined[joined.count - 1] = last + line
            } else {
                joined.append(line)
            }
        }
        return joined
    }

    /// Nil where a text is not one swipe's.
    private static func trackCount(_ line: [UInt8]) -> Int? { try? TrackScan.tracks(in: line).count }

    /// A stream or a packet, which is never parted by line ends.
    private static func isWhole(_ line: [UInt8]) -> Bool {
        line.contains(MagTekStream.defaultSeparator) || isPacket(line)
    }

    private static func isPacket(_ line: [UInt8]) -> Bool {
        HexField.bytes(line.prefix(2)) == [IDTechFrame.start]
    }

    private static func swipe(_ line: [UInt8]) -> Result<Found, Refusal> {
        isPacket(line) ? packet(line) : stream(line)
    }

    private static func packet(_ line: [UInt8]) -> Result<Found, Refusal> {
        do throws(IDTechPacket.Refusal) {
            let packet = try IDTechPacket(try IDTechFrame.typed(line))
            return .success(
                Found(
                    swipe: packet.swipe(), serial: packet.serial.flatMap(MagTekText.serial), isChecked: true))
        } catch {
            return .failure(Refusal(sentence: error.rawValue))
        }
    }

    private static func stream(_ line: [UInt8]) -> Result<Found, Refusal> {
        do throws(MagTekStream.Refusal) {
            let stream = try MagTekStream(line)
            return .success(
                Found(swipe: stream.swipe, serial: stream.serial, isChecked: stream.isChecked))
        } catch {
            return .failure(Refusal(sentence: error.sentence))
        }
    }
}
