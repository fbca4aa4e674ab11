/// Track 3 of a licence: fields of fixed width, in track 1's alphabet. Unused places hold spaces.
///
///     % V S PPPPPPPPPPP CC RRRRRRRRRR EEEE X HHH WWW hhh yyy NNNNNNNNNN … ?
///
/// V: version of the template · S: version of the security field · P: postal code · C: class · R: restrictions ·
/// E: endorsements · X: sex · H: height · W: weight · h: hair · y: eyes · N: number field; then 27 characters that
/// AAMVA reserves or a jurisdiction uses as it likes.
public struct LicenceDetails: Sendable, Hashable {
    /// Version of the template.
    public let templateVersion: String
    /// Version of the security field.
    public let securityVersion: String
    /// Postal code.
    public let postalCode: SensitiveText
    /// Class of vehicles.
    public let vehicleClass: String
    /// Restrictions.
    public let restrictions: String
    /// Endorsements.
    public let endorsements: String
    /// 1 or M male, 2 or F female, as the jurisdiction writes it.
    public let sex: SensitiveText
    /// Height: feet and inches, or centimetres.
    public let height: SensitiveText
    /// Weight: pounds or kilograms.
    public let weight: SensitiveText
    /// Colour of the hair, a code of three letters.
    public let hair: SensitiveText
    /// Colour of the eyes, a code of three letters.
    public let eyes: SensitiveText
    /// The number field: a number of the jurisdiction's own; empty where there is none.
    public let idNumber: SensitiveText

    /// The widths of the fields that every licence has, in their order.
    private static let widths = [1, 1, 11, 2, 10, 4, 1, 3, 3, 3, 3]
    private static let idNumberWidth = 10
    /// All of them, with the 27 reserved characters that may follow.
    private static let longest = 79

    init?(_ bytes: [UInt8]) {
        // `#` is how some readers tell a licence's third track from the first.
        let sentinels = [UInt8(ascii: "%"), UInt8(ascii: "#")]
        guard let first = bytes.first, sentinels.contains(first), bytes.last == UInt8(ascii: "?") else {
            return nil
        }
        var rest = bytes.dropFirst().dropLast()
        guard rest.count >= Self.widths.reduce(0, +), rest.count <= Self.longest else { return nil }
        let fields = Self.widths.map { width in
            defer { rest = rest.dropFirst(width) }
            return Self.trimmed(rest.prefix(width))
        }
        guard Self.isInPlace(sex: fields[6], measures: fields[7...8]) else { return nil }
        let texts = fields.map { String(decoding: $0, as: UTF8.self) }
        (templateVersion, securityVersion) = (texts[0], texts[1])
        postalCode = SensitiveText(utf8: fields[2])
        (vehicleClass, restrictions, endorsements) = (texts[3], texts[4], texts[5])
        (sex, height, weight) = (
            SensitiveText(utf8: fields[6]), SensitiveText(utf8: fields[7]), SensitiveText(utf8: fields[8])
        )
        (hair, eyes) = (SensitiveText(utf8: fields[9]), SensitiveText(utf8: fields[10]))
        idNumber = SensitiveText(utf8: Self.trimmed(rest.prefix(Self.idNumberWidth)))
    }

    /// Whether the fields stand where they are due: a page that shows many blanks as one moves them, and some other card has
    /// others. The sex is a letter or a digit of a few, height and weight are numbers; any of them may be blank.
    private static func isInPlace(
        sex: ArraySlice<UInt8>, measures: ArraySlice<ArraySlice<UInt8>>
    ) -> Bool {
        (sex.first.map { Array("MFXU0129".utf8).contains($0) } ?? true)
            && measures.allSatisfy { $0.allSatisfy(\.isDigit) }
    }

    private static func trimmed(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = field.drop { $0 == UInt8(ascii: " ") }
        guard let end = start.lastIndex(where: { $0 != UInt8(ascii: " ") }) else { return [] }
        return start[...end]
    }
}
