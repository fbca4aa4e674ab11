/// A MagneSafe V5 swipe report (MagTek 99875475; from 887 on by the maker's web client), its report id not counted. Numbers
/// are binary, one byte each, where nothing else is said; what stands past a length is undefined.
///
///     offset  bytes  field                       meaning
///          0      1  decodeStatus1               bit 0: track 1 could not be decoded
///          1      1  decodeStatus2               the same of track 2
///          2      1  decodeStatus3               the same of track 3
///          3      1  length1                     bytes of data1 that count; 0: blank, or not decoded
///          4      1  length2
///          5      1  length3
///          6      1  encodeType                  what coding the card has: ``MagTekEncodeType``
///          7    112  data1                       ciphertext of track 1; its clear text while the reader does not encrypt
///        119    112  data2
///        231    112  data3
///        343      1  cardStatus                  insert readers: bit 0: read on the way in, not on the way out
///        344      4  magnePrintStatus            low byte first: ``MagnePrintStatus``
///        348      1  magnePrintLength            bytes of magnePrint that count
///        349    128  magnePrint                  ciphertext
///        477     16  serial                      ASCII, ended by 00
///        493      2  encryptionStatus            high byte first: ``MagTekEncryptionStatus``
///        495     10  keySerialNumber             of the key of the tracks
///        505      1  maskedLength1               characters of masked1 that count
///        506      1  maskedLength2
///        507      1  maskedLength3
///        508    112  masked1                     track 1 as the reader masked it
///        620    112  masked2
///        732    112  masked3
///        844      8  session                     ciphertext of the session id
///        852      1  clearLength1                characters of track 1 before it was encrypted
///        853      1  clearLength2
///        854      1  clearLength3
///        855      1  magnePrintClearLength       bytes of the MagnePrint before it was encrypted
///
/// Old firmware ends here, at 856 bytes. Revision 10 of the manual adds, up to 887 bytes:
///
///        856      3  counter                     swipes that can still be encrypted, high byte first; FFFFFF: not counted
///        859      8  magneSafeVersion            ASCII, ended by 00
///        867     20  hash1                       SHA-1 of track 2
///
/// The newest report adds, up to 931 bytes (no public capture):
///
///        887      1  reportVersion               2 or 3
///        888     32  hash256                     SHA-256 of track 2
///        920     10  magnePrintKeySerialNumber   of the key of the MagnePrint
///        930      1  battery
///
/// A SureSwipe report (99875191) is 337 bytes: the fields of offsets 0 to 6, and three tracks in clear of 110 bytes each, at 7, 117
/// and 227. An insert reader adds a byte, cardStatus at 337 [1 source].
///
/// These layouts are for devices whose descriptor could not be read and for captures without one.
extension MagTekLayout {
    /// Bytes of a track in a MagneSafe report.
    private static let trackBytes = 112
    /// Bytes of a track in a SureSwipe report.
    private static let sureSwipeTrackBytes = 110

    package static let sureSwipe = MagTekLayout(sureSwipeFields)

    package static let sureSwipeInsert = MagTekLayout(sureSwipeFields + [(.cardStatus, 1)])

    package static let magneSafe856 = MagTekLayout(magneSafeFields)

    package static let magneSafe887 = MagTekLayout(magneSafeFields + counterFields)

    package static let magneSafe931 = MagTekLayout(magneSafeFields + counterFields + versionFields)

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
