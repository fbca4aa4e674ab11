/// A reader that has a key but does not encrypt sends every track twice: in clear, and masked as it would be. The two
/// check each other, since a report has no check sum.
enum MaskAgreement {
    /// A reader that is set to another filler (property 0x07) covers at least so many places with it: fewer may be broken.
    private static let leastCovered = 4

    /// Whether one text can be the masked form of the other: the same, but for fillers, and one digit of the account
    /// number that the reader bends so that the Luhn check still passes (property 0x07). With any filler but `0` it bends none.
    static func agree(clear: some Collection<UInt8>, masked: some Collection<UInt8>) -> Bool {
        guard clear.count == masked.count else { return false }
        var (different, filled) = (0, 0)
        var first: UInt8?
        var isOneFiller = true
        for (character, shown) in zip(clear, masked) where character != shown {
            different += 1
            if shown == UInt8(ascii: "0") || shown == UInt8(ascii: "*") { filled += 1 }
            isOneFiller = isOneFiller && shown == first ?? shown
            first = shown
        }
        if different >= leastCovered, isOneFiller { return true }
        let bent = different - filled
        // A bent digit stands beside fillers; alone it is a broken one.
        return bent == 0 || bent == 1 && filled > 0
    }
}
