import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Streams of MagTek's readers, put together for a test.
enum MagTekStreams {
    static func stream(_ name: String) throws -> [UInt8] {
        Array(try #require(try Vector("MagTek/published/\(name).txt").lines.first).utf8)
    }

    /// The fields in front of the CRC, changed; with a right CRC behind them.
    static func encryptedLine(_ change: (inout [String]) -> Void) throws -> [UInt8] {
        let report = try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
        let swipe = try MagTekReport(report, layout: .magneSafe887).swipe()
        let shown = swipe.tracks.compactMap(\.masked).joined().replacing("?;5163", with: "?+5163")
        let encryption = try #require(swipe.encryption)
        var fields = [shown, "0608"] + encryption.tracks.map { Hex.text($0.ciphertext) }
        fields += ["A1050000", Hex.text(encryption.magnePrint?.ciphertext ?? []), "B000795"]
        fields += [Hex.text(encryption.session ?? []), Hex.text(encryption.keySerialNumber)]
        change(&fields)
        let head = Array((fields.joined(separator: "|") + "|").utf8)
        let sum = CRC16.of(head)
        return head + Array("\(Hex.text([UInt8(sum & 0xFF), UInt8(sum >> 8)]))||1000".utf8)
    }
}
