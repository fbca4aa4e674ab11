/// The layouts of the manuals, for devices whose descriptor could not be read and for captures without one.
extension MagTekLayout {
    /// Bytes of a track in a MagneSafe report.
    private static let trackBytes = 112
    /// Bytes of a track in a SureSwipe report.
    private static let sureSwipeTrackBytes = 110

    /// SureSwipe (99875191): 337 bytes.
    static let sureSwipe = MagTekLayout(sureSwipeFields)

    /// SureSwipe insert reader: one byte more. [1 source]
    static let sureSwipeInsert = MagTekLayout(sureSwipeFields + [(.cardStatus, 1)])

    /// MagneSafe V5, old firmware: 856 bytes.
    static let magneSafe856 = MagTekLayout(magneSafeFields)

    /// MagneSafe V5 as in revision 10 of the manual: 887 bytes.
    static let magneSafe887 = MagTekLayout(magneSafeFields + counterFields)

    /// The newest MagneSafe report: 931 bytes. [no public capture]
    static let magneSafe931 = MagTekLayout(magneSafeFields + counterFields + versionFields)

    private static let sureSwipeFields: [(MagTekField, Int)] = [
        (.decodeStatus1, 1), (.decodeStatus2, 1), (.decodeStatus3, 1), (.length1, 1), (.length2, 1),
        (.length3, 1),
        (.encodeType, 1), (.data1, sureSwipeTrackBytes), (.data2, sureSwipeTrackBytes),
        (.data3, sureSwipeTrackBytes),
    ]

    private static let magneSafeFields: [(MagTekField, Int)] = [
        (.decodeStatus1, 1), (.decodeStatus2, 1), (.decodeStatus3, 1), (.length1, 1), (.length2, 1),
        (.length3, 1),
        (.encodeType, 1), (.data1, trackBytes), (.data2, trackBytes), (.data3, trackBytes), (.cardStatus, 1),
        (.magnePrintStatus, 4), (.magnePrintLength, 1), (.magnePrint, 128), (.serial, 16),
        (.encryptionStatus, 2),
        (.keySerialNumber, 10), (.maskedLength1, 1), (.maskedLength2, 1), (.maskedLength3, 1),
        (.masked1, trackBytes), (.masked2, trackBytes), (.masked3, trackBytes), (.session, 8),
        (.clearLength1, 1),
        (.clearLength2, 1), (.clearLength3, 1), (.magnePrintClearLength, 1),
    ]

    private static let counterFields: [(MagTekField, Int)] = [
        (.counter, 3), (.magneSafeVersion, 8), (.hash1, 20),
    ]

    private static let versionFields: [(MagTekField, Int)] = [
        (.reportVersion, 1), (.hash256, 32), (.magnePrintKeySerialNumber, 10), (.battery, 1),
    ]
}
