internal import Checkout
internal import Glibc

/// How long to wait before the next try (RFC 9110 §10.2.3): seconds, or a date.
enum RetryAfter {
    /// - Parameters:
    ///   - text: the field's value.
    ///   - date: what the answer's `Date` says; this machine's clock counts where it says nothing. A clock that is wrong here
    ///     then does no harm.
    /// - Returns: nil where it is neither.
    static func pause(_ text: String, _ date: String?) -> Duration? {
        let digits = text.utf8
        if !digits.isEmpty, digits.count <= 9, digits.allSatisfy({ (48...57).contains($0) }) {
            return Int64(text).map { .seconds($0) }
        }
        guard let moment = seconds(text) else { return nil }
        let now = date.flatMap(seconds) ?? Int64(time(nil))
        return .seconds(max(moment - now, 0))
    }

    /// An HTTP date (RFC 9110 §5.6.7) in seconds since 1970: the form of today, and the two of the past.
    ///
    ///     Sun, 06 Nov 1994 08:49:37 GMT      Sunday, 06-Nov-94 08:49:37 GMT      Sun Nov  6 08:49:37 1994
    static func seconds(_ text: String) -> Int64? {
        let words = text.split { " ,-".contains($0) }.map(String.init)
        guard words.count >= 5 else { return nil }
        let isOldest = words.count == 5 && words[3].contains(":")
        guard isOldest || (words.count == 6 && words[5] == "GMT") else { return nil }
        let (day, name, year, clock) =
            isOldest ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).compactMap { Int32($0) }
        guard let place = months.firstIndex(of: name), let day = Int32(day), var year = Int32(year),
            parts.count == 3, (1...31).contains(day), (0...23).contains(parts[0]),
            (0...59).contains(parts[1]),
            (0...60).contains(parts[2])
        else { return nil }
        // Two digits: of a century ago where they would be more than 50 years ahead.
        if year < 100 { year += year < 77 ? 2000 : 1900 }
        guard (1970...9999).contains(year) else { return nil }
        var date = tm()
        date.tm_year = year - 1900
        date.tm_mon = Int32(place)
        date.tm_mday = day
        (date.tm_hour, date.tm_min, date.tm_sec) = (parts[0], parts[1], parts[2])
        return Int64(timegm(&date))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
