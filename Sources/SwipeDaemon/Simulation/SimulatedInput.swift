import CardData
import KeyboardReaders
import ReaderKit
import WaveformSynthesis

/// What a virtual reader's source gets when a card is swiped on it: a report or a waveform, as a real one would
/// deliver it. Everything after the source is the code that real readers use.
enum SimulatedInput {
    /// In what a virtual reader gets its swipes.
    enum Terms: Sendable, Hashable {
        case sound(rate: Int)
        /// Of the reader with these ids, vendor and product.
        case reports(UInt16, UInt16)
        case line(type: String)
        /// Typed in that layout.
        case keys(KeyboardLayout?)
    }

    /// The bytes of a swipe; nil where none can be made for such a reader.
    static func bytes(of card: SimulatedCard, as terms: Terms) -> [UInt8]? {
        switch terms {
        case .sound(let rate): sound(card, rate: rate)
        case .reports(0x0801, 0x0011): line(magneSafe(card))
        case .reports(0x0801, 0x0002): line(sureSwipe(card))
        case .line("text-line"): Array("\(card.track1)\(card.track2)\r".utf8)
        case .keys(let layout): keys("\(card.track1)\(card.track2)\r", layout ?? .us)
        case .reports, .line: nil
        }
    }

    /// Track 2 by hand at 25 cm/s, 16 bit little-endian.
    private static func sound(_ card: SimulatedCard, rate: Int) -> [UInt8]? {
        guard let bits = try? TrackFormat.iso2.bits(of: Array(card.track2.utf8)) else { return nil }
        var recipe = StripeRecipe(bits: bits, bitsPerInch: 75)
        recipe.sampleRate = rate
        return StripeSynthesizer.samples(recipe, seed: 1).flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
    }

    /// A MagneSafe V5 report of 856 bytes from a reader in security level 2, whose "encrypted" fields are clear.
    /// Layout: MagTek 99875475; the fields that stay 0 are left out.
    ///
    ///     0-2 decode status · 3-5 lengths · 7, 119 tracks 1, 2 · 493 encryption status, big-endian ·
    ///     505-507 masked lengths · 508, 620 masked tracks 1, 2 · 852-854 absolute lengths
    private static func magneSafe(_ card: SimulatedCard) -> [UInt8] {
        var report = [UInt8](repeating: 0, count: 856)
        for (index, track) in [card.track1, card.track2].enumerated() {
            for lengths in [3, 505, 852] {
                report[lengths + index] = UInt8(truncatingIfNeeded: track.utf8.count)
            }
            for fields in [7, 508] { place(track, at: fields + 112 * index, in: &report) }
        }
        report[494] = 0x02
        return report
    }

    /// A SureSwipe report of 337 bytes. Layout: MagTek 99875191.
    ///
    ///     0-2 decode status · 3-5 lengths · 6 encode type · 7, 117 tracks 1, 2
    private static func sureSwipe(_ card: SimulatedCard) -> [UInt8] {
        var report = [UInt8](repeating: 0, count: 337)
        for (index, track) in [card.track1, card.track2].enumerated() {
            report[3 + index] = UInt8(truncatingIfNeeded: track.utf8.count)
            place(track, at: 7 + 110 * index, in: &report)
        }
        return report
    }

    /// Boot reports; nil where the layout has no key for a character.
    private static func keys(_ text: String, _ layout: KeyboardLayout) -> [UInt8]? {
        KeyTyping(layout).reports(text.utf8)?.flatMap(line)
    }

    private static func place(_ track: String, at offset: Int, in report: inout [UInt8]) {
        for (index, byte) in track.utf8.enumerated() where offset + index < report.count {
            report[offset + index] = byte
        }
    }

    private static func line(_ report: [UInt8]) -> [UInt8] {
        let digits = report.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return Array(digits.utf8) + [UInt8(ascii: "\n")]
    }
}
