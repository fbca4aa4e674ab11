import CardData
package import SectionFiles

/// Card formats of one's own, as data:
/// ```
/// # The sports club's membership cards.
/// [format club]
/// bits = 6            bits a character, parity included
/// parity = odd        odd, even or none
/// first = 0x20        the character whose data bits are all zero: a character, or its code
/// start = %           start sentinel
/// end = ?             end sentinel
/// lrc = yes           whether an LRC character follows the end sentinel
/// longest = 40        characters, sentinels and LRC included
/// density = 75        bits an inch; speeds are computed from it
/// track = 2           the track that its texts are reported as
/// ```
/// The syntax is that of the daemon's configuration. `bits`, `start` and `end` must be there.
package struct FormatFile: Sendable {
    /// Why a file gives no formats.
    package typealias Failure = SectionFault

    /// Longer files are refused.
    package static let maximumBytes = 64 * 1024
    /// More formats than this cost every swipe too much.
    package static let mostFormats = 32

    package let formats: [StripeFormat]

    /// Reads the formats of a file's text, in the order in which they stand there.
    package init(_ text: String) throws(Failure) {
        let sections = try NamedSection.all(
            "format", in: text, keys: FormatSection.keys, taken: StripeFormat.standard.map(\.coding.name),
            limits: (Self.maximumBytes, Self.mostFormats))
        var formats: [StripeFormat] = []
        for section in sections { formats.append(try FormatSection(section: section).format()) }
        self.formats = formats
    }
}

/// What one section says.
private struct FormatSection {
    /// Bits a character, parity included; fewer hold no digits, more no decoder of ours has states for.
    private static let widths = 4...8
    private static let lengths = 4...1000
    private static let densities = 10.0...1000
    static let keys = ["bits", "parity", "first", "start", "end", "lrc", "longest", "density", "track"]

    let section: NamedSection

    func format() throws(SectionFault) -> StripeFormat {
        let width = try section.integer("bits", Self.widths, otherwise: nil)
        let parity = try self.parity()
        let dataBits = width - (parity == .none ? 0 : 1)
        let first = try character("first", otherwise: Self.usualFirst(dataBits))
        let coding = TrackFormat(
            name: section.name, dataBits: dataBits, parity: parity, firstCharacter: first,
            startSentinel: try sentinel("start", dataBits, first),
            endSentinel: try sentinel("end", dataBits, first), hasLRC: try flag("lrc"),
            maximumCharacters: try section.integer("longest", Self.lengths, otherwise: 107))
        try checkEvidence(coding)
        return StripeFormat(
            coding: coding, track: try section.integer("track", 1...3, otherwise: 2),
            bitsPerInch: try section.number("density", Self.densities, otherwise: 75))
    }

    /// A format of which no text could ever be accepted is a mistake, and better told now than by every swipe.
    private func checkEvidence(_ coding: TrackFormat) throws(SectionFault) {
        guard FrameSearch.mostEvidence(of: coding) < FrameSearch.leastEvidence else { return }
        throw coding.parity == .none
            ? section.fault(
                "parity", "without parity bits nothing proves a text right: none would be accepted")
            : section.fault("longest", "so short a text proves too little: none would be accepted")
    }

    /// As ISO has it: digits from '0', letters from the space, anything wider from code 0.
    private static func usualFirst(_ dataBits: Int) -> UInt8 {
        dataBits <= 4 ? UInt8(ascii: "0") : dataBits <= 6 ? UInt8(ascii: " ") : 0
    }

    private func parity() throws(SectionFault) -> TrackFormat.Parity {
        switch section.text("parity") {
        case nil, "odd": .odd
        case "even": .even
        case "none": .none
        case _?: throw section.fault("parity", "write odd, even or none")
        }
    }

    private func flag(_ key: String) throws(SectionFault) -> Bool {
        switch section.text(key) {
        case nil, "yes": true
        case "no": false
        case _?: throw section.fault(key, "write yes or no")
        }
    }

    private func character(_ key: String, otherwise: UInt8?) throws(SectionFault) -> UInt8 {
        guard let text = section.text(key) else {
            guard let otherwise else { throw section.fault(key, "write a character, or its code as 0x3B") }
            return otherwise
        }
        if text.hasPrefix("0x"), let code = UInt8(text.dropFirst(2), radix: 16) { return code }
        guard text.utf8.count == 1, let code = text.utf8.first else {
            throw section.fault(key, "write a character, or its code as 0x3B")
        }
        return code
    }

    private func sentinel(_ key: String, _ dataBits: Int, _ first: UInt8) throws(SectionFault) -> UInt8 {
        let code = try character(key, otherwise: nil)
        guard code >= first, Int(code) - Int(first) < 1 << dataBits else {
            throw section.fault(
                key, "it is not among the \(1 << dataBits) characters from code \(first) on")
        }
        return code
    }
}
