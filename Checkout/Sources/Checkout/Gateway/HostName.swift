/// Hosts in one form.
enum HostName {
    /// Lower case, no dot at the end, numbers as everybody writes them; nil for what is none.
    static func canonical(_ text: Substring) -> String? {
        var host = text.lowercased()
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            return groups(host.dropFirst().dropLast()).map(text(ofIPv6:))
        }
        if host.hasSuffix(".") { host.removeLast() }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy {
                    isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
        guard isName, let last = labels.last else { return nil }
        // WHATWG URL §3.5: a host whose last label is a number is an IPv4 address.
        return number(last) == nil ? host : ipv4(labels)
    }

    static func isIPv4(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 4 && ipv4(labels) == host
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte)
    }

    /// A number as inet_aton(3) reads it: decimal, `0x` for hexadecimal, `0` for octal.
    private static func number(_ label: Substring) -> UInt64? {
        if label.hasPrefix("0x") { return label.count == 2 ? 0 : UInt64(label.dropFirst(2), radix: 16) }
        if label.hasPrefix("0"), label.count > 1 { return UInt64(label.dropFirst(), radix: 8) }
        return label.utf8.allSatisfy { (48...57).contains($0) } ? UInt64(label) : nil
    }

    /// inet_aton(3): the last of up to four numbers fills what the others leave.
    private static func ipv4(_ labels: [Substring]) -> String? {
        let numbers = labels.compactMap(number)
        guard numbers.count == labels.count, (1...4).contains(numbers.count), let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 <= 255 }), last < (1 << (8 * UInt64(5 - numbers.count)))
        else { return nil }
        var value = last
        for (place, number) in numbers.dropLast().enumerated() { value += number << (8 * UInt64(3 - place)) }
        return [24, 16, 8, 0].map { (shift: UInt64) in String(value >> shift & 255) }.joined(separator: ".")
    }

    /// The eight groups of an IPv6 address (RFC 4291 §2.2).
    private static func groups(_ text: Substring) -> [UInt16]? {
        var halves: [[UInt16]] = [[]]
        var rest = text
        if rest.hasPrefix("::") {
            halves.append([])
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let part = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(part.count)
            guard let values = part.contains(".") && rest.isEmpty ? embedded(part) : group(part) else {
                return nil
            }
            halves[halves.count - 1] += values
            if rest.hasPrefix("::") {
                guard halves.count == 1 else { return nil }
                halves.append([])
                rest = rest.dropFirst(2)
            } else if !rest.isEmpty {
                rest = rest.dropFirst()
                guard !rest.isEmpty else { return nil }
            }
        }
        let missing = 8 - halves.joined().count
        guard halves.count == 1 ? missing == 0 : missing > 0 else { return nil }
        return halves[0] + Array(repeating: 0, count: missing) + (halves.count == 2 ? halves[1] : [])
    }

    private static func group(_ part: Substring) -> [UInt16]? {
        (1...4).contains(part.count) ? UInt16(part, radix: 16).map { [$0] } : nil
    }

    private static func embedded(_ part: Substring) -> [UInt16]? {
        guard isIPv4(String(part)) else { return nil }
        let bytes = part.split(separator: ".").compactMap { UInt16($0) }
        return [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
    }

    /// RFC 5952; one that stands for an IPv4 address (`::ffff:127.0.0.1`) is written as that.
    private static func text(ofIPv6 groups: [UInt16]) -> String {
        if groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
            return [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].map { String($0) }
                .joined(separator: ".")
        }
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(longest.count, 1) { longest = start..<end }
            start = max(end, start) + 1
        }
        let hexadecimal = { (groups: ArraySlice<UInt16>) in
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return "[\(hexadecimal(groups[...]))]" }
        return
            "[\(hexadecimal(groups[..<longest.lowerBound]))::\(hexadecimal(groups[longest.upperBound...]))]"
    }
}
