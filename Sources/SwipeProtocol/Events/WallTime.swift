/// A point in time, UTC, to the microsecond. On the wire: RFC 3339, `2026-01-31T09:30:00.123456Z`.
public struct WallTime: Sendable, Hashable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// A point in time, counted from 1970 in microseconds.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Earlier first.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }
}

extension WallTime: CustomStringConvertible {
    private static let perSecond: Int64 = 1_000_000
    private static let perDay: Int64 = 86_400 * perSecond
    /// 1970-01-01 and 9999-12-31: what four digits of a year can say.
    private static let days: ClosedRange<Int64> = 0...2_932_896

    /// RFC 3339 with six decimals. What RFC 3339 cannot say is clamped.
    public var description: String {
        let clamped = min(max(microseconds, 0), (WallTime.days.upperBound + 1) * WallTime.perDay - 1)
        let (day, rest) = clamped.quotientAndRemainder(dividingBy: WallTime.perDay)
        let (year, month, dayOfMonth) = WallTime.civil(fromDays: day)
        let seconds = rest / WallTime.perSecond
        return String(unsafeUninitializedCapacity: WallTime.length) { bytes in
            var place = 0
            func write(_ value: Int64, digits: Int, then sign: Unicode.Scalar) {
                var rest = value
                for index in (place..<(place + digits)).reversed() {
                    bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                bytes[place + digits] = UInt8(ascii: sign)
                place += digits + 1
            }
            write(year, digits: 4, then: "-")
            write(month, digits: 2, then: "-")
            write(dayOfMonth, digits: 2, then: "T")
            write(seconds / 3600, digits: 2, then: ":")
            write(seconds / 60 % 60, digits: 2, then: ":")
            write(seconds % 60, digits: 2, then: ".")
            write(rest % WallTime.perSecond, digits: 6, then: "Z")
            return place
        }
    }

    /// Bytes of the text.
    private static let length = 27

    /// The Gregorian date of a day since 1970, by 400-year eras that start on March 1st, so that the leap day comes
    /// last (Howard Hinnant, "chrono-compatible low-level date algorithms").
    private static func civil(fromDays day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// The days from 1970 to a Gregorian date.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Reads exactly the form that ``description`` writes.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let template = Array("0000-00-00T00:00:00.000000Z".utf8)
        guard bytes.count == template.count else { return nil }
        for (byte, expected) in zip(bytes, template) {
            let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 {
            bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        let (month, day) = (number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61 else {
            return nil
        }
        let days = WallTime.days(year: number(0..<4), month: month, day: day)
        guard WallTime.days.contains(days) else { return nil }
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
        self.init(microseconds: seconds * WallTime.perSecond + number(20..<26))
    }
}

extension WallTime: WireValue {
    package static var schema: JSONValue { SchemaParts.time }
    /// What reading starts from.
    static let blank = WallTime(microseconds: 0)
    package func write(to writer: inout JSONWriter) { writer.write(description) }

    package init(json: JSONValue) throws(WireError) {
        guard let time = json.string.flatMap(WallTime.init(_:)) else { throw WireError("not a time") }
        self = time
    }
}
