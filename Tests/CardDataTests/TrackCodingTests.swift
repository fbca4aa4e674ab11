import CardData
import Testing

/// Worked values of `docs/card-data.md`: two published swipes whose LRC characters are known.
@Suite struct TrackCodingTests {
    static let track2 = ";4266841088889999=080910110000046?"
    static let track2Bits =
        "11010 00100 01000 01101 01101 00010 00100 10000 00001 00010 00010 00010 00010 10011 10011 10011 10011 "
        + "10110 00001 00010 00001 10011 10000 00001 10000 10000 00001 00001 00001 00001 00001 00100 01101 11111 00001"

    @Test func encodesTheWorkedTrack() throws {
        let bits = try TrackFormat.iso2.bits(of: Self.track2.utf8)
        #expect(BitString.text(bits) == Self.track2Bits.filter { $0 != " " })
    }
}
