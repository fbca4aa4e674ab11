/// A reader that has a key but does not encrypt sends every track twice: in clear, and masked as it would be. The two
/// check each other, since a report has no check sum.
enum MaskAgreement {
    private static let fillers = [UInt8(ascii: "0"), UInt8(ascii: "*")]
    /// A reader that is set to another filler (property 0x07) covers at least so many places with it: fewer may be broken.
    private static let leastCovered = 4

    /// Whether one text can be the masked form of the other: the same, but for fillers, and one digit of the account
    /// number that the reader bends so that the Luhn check still passes (property 0x07). With any filler but `0` it bends none.
    static func agree(clear: [UInt8], masked: [UInt8]) -> Bool {
        guard clear.count == masked.count else { return false }
        let different = clear.indices.filter { clear[$0] != masked[$0] }
        let filled = different.filter { fillers.contains(masked[$0]) }
        let bent = different.count - filled.count
        if different.count >= leastCovered, Set(different.map { masked[$0] }).count == 1 { return true }
        // A bent digit stands beside fillers; alone it is a broken one.
        return bent == 0 || (bent == 1 && !filled.isEmpty)
    }
}
