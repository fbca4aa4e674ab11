package import ReaderKit

/// Keys that somebody recorded of a reader that types, with their times.
///
///     evtest             Event: time 1.000001, type 1 (EV_KEY), code 6 (KEY_5), value 1
///     evemu-record       E: 1.000001 0001 0006 0001       type and code in hex
///     libinput           -event4  KEYBOARD_KEY  +1.23s  KEY_5 (6) pressed         debug-events --show-keycodes
///     libinput record    - [  1,      1,   1,   6,       1] # EV_KEY / KEY_5
///     python-evdev       key event at 1.000001, 6 (KEY_5), down
///     hid-recorder       E: 1.000001 8 00 00 22 00 00 00 00 00
///     boot reports       00 00 22 00 00 00 00 00          a line each, or as bytes; an empty line is a pause
///
/// A line that begins as one of these and does not end as one stands for keys that are lost.
package enum KeyRecording {
    package enum Refusal: String, Error, Sendable {
        case noKeys = "no keys in it: evtest, evemu-record, libinput, hid-recorder or boot reports are read"
        case covered = "libinput covered the keys: record with --show-keycodes"
    }

    /// Between reports whose times nobody wrote down.
    private static let gap = Duration.milliseconds(8)
    private static let pause = Duration.seconds(10)
    private static let reportBytes = 8
    private static let keyType = 1
    /// SYN_DROPPED of EV_SYN (linux/input-event-codes.h).
    private static let lossOfSync = (type: 0, code: 3)

    package static func inputs(in recording: [UInt8]) throws(Refusal) -> [KeyInput] {
        guard CaptureText.isText(recording) || recording.contains(0x0A) && !recording.contains(0) else {
            return try reports(recording)
        }
        var (inputs, now): ([KeyInput], Duration) = ([], .zero)
        var isCovered = false
        for line in recording.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let text = String(decoding: line, as: UTF8.self)
            if text.allSatisfy(\.isWhitespace) { now += pause }
            if text.contains("KEYBOARD_KEY"), text.contains("(-1)") { isCovered = true }
            guard let (content, time) = content(text) else { continue }
            now = time ?? now + gap
            inputs.append(KeyInput(content, at: now))
        }
        guard !inputs.isEmpty else { throw isCovered ? .covered : .noKeys }
        return inputs
    }

    private static func reports(_ bytes: [UInt8]) throws(Refusal) -> [KeyInput] {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: reportBytes) else { throw .noKeys }
        return stride(from: 0, to: bytes.count, by: reportBytes).map { start in
            let report = Array(bytes[start..<(start + reportBytes)])
            return KeyInput(.report(report), at: gap * (start / reportBytes))
        }
    }

    /// What a line says, and when.
    private static func content(_ line: String) -> (KeyInput.Content, Duration?)? {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
        if line.contains("SYN_DROPPED") {
            return (.lost, words.lazy.compactMap(time).first)
        }
        if line.hasPrefix("E:") { return recorded(words.dropFirst().map(String.init)) }
        if line.drop(while: \.isWhitespace).hasPrefix("- [") { return tabled(words) }
        if let key = words.firstIndex(where: { $0.hasPrefix("KEY_") || $0.hasPrefix("BTN_") }),
            let found = named(words, key)
        {
            return found
        }
        if isOfKey(line) { return (.lost, nil) }
        let report = line.split(separator: "#", omittingEmptySubsequences: false).first ?? ""
        return hex(report).map { ($0, nil) } ?? (isNearlyReport(report) ? (.lost, nil) : nil)
    }

    /// A tool's line of a key, which says no key.
    private static func isOfKey(_ line: String) -> Bool {
        if line.contains("(-1)") { return false }
        if line.hasPrefix("Event: time") {
            return line.contains("(EV_KEY)") || !line.contains("(EV_") && !line.contains("SYN_")
        }
        return line.contains("KEYBOARD_KEY") || line.hasPrefix("key event at")
    }

    /// A report's bytes, one of them too few, or with something that is no digit of one.
    private static func isNearlyReport(_ line: Substring) -> Bool {
        let words = line.split(whereSeparator: \.isWhitespace)
        let digits = words.joined()
        let arePairs = words.count > reportBytes / 2 && words.allSatisfy { $0.count <= 2 }
        let isRow = words.count == 1 && abs(digits.count - reportBytes * 2) <= 2
        return (arePairs || isRow) && digits.count(where: \.isHexDigit) * 4 >= digits.count * 3
    }

    /// evemu-record, and hid-recorder.
    private static func recorded(_ fields: [String]) -> (KeyInput.Content, Duration?)? {
        guard fields.count >= 3, let time = time(fields[0][...]) else { return (.lost, nil) }
        if fields[1].count == 4 {
            guard let type = Int(fields[1], radix: 16), let code = UInt16(fields[2], radix: 16) else {
                return (.lost, time)
            }
            if (type, Int(code)) == lossOfSync { return (.lost, time) }
            guard type == keyType else { return nil }
            guard fields.count >= 4, let value = Int(fields[3]) else { return (.lost, time) }
            return (key(code, value), time)
        }
        let bytes = fields.dropFirst(2).compactMap { UInt8($0, radix: 16) }
        guard bytes.count == fields.count - 2, bytes.count == Int(fields[1]) else { return (.lost, time) }
        return (.report(bytes), time)
    }

    /// Seconds, microseconds, type, code, value.
    private static func tabled(_ words: [Substring]) -> (KeyInput.Content, Duration?)? {
        let numbers = words.prefix(5).compactMap { Int($0) }
        guard numbers.count == 5, let code = UInt16(exactly: numbers[3]) else { return (.lost, nil) }
        if (numbers[2], numbers[3]) == lossOfSync { return (.lost, nil) }
        guard numbers[2] == keyType else { return nil }
        let time = Duration.seconds(numbers[0] % mostSeconds) + .microseconds(numbers[1] % 1_000_000)
        return (key(code, numbers[4]), time)
    }

    private static let values = ["released": 0, "up": 0, "pressed": 1, "down": 1, "hold": 2]

    /// A line with a key's name has its number before the name, or behind it in brackets.
    private static func named(_ words: [Substring], _ name: Int) -> (KeyInput.Content, Duration?)? {
        let before = name > 0 ? UInt16(words[name - 1]) : nil
        let behind = name + 1 < words.count ? UInt16(words[name + 1]) : nil
        guard let last = words.last, let value = Int(last) ?? values[String(last)] else { return nil }
        let isLibinput = words.contains("KEYBOARD_KEY")
        guard let code = isLibinput ? behind : before else { return nil }
        let time = words.prefix(name).lazy.compactMap(Self.time).first
        return (key(code, value), time)
    }

    private static func key(_ code: UInt16, _ value: Int) -> KeyInput.Content {
        .keys([KeyChange(code, value == 0 ? .up : value == 1 ? .down : .repeated)])
    }

    /// No recording is longer; what is has its times folded.
    private static let mostSeconds = 1 << 40

    /// `1.000001`, or `1.23s`.
    private static func time(_ word: Substring) -> Duration? {
        let digits = word.hasSuffix("s") ? word.dropLast() : word
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = Int(parts[0]), !parts[1].isEmpty,
            parts[1].allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        let micros = (String(parts[1]) + "000000").prefix(6)
        return .seconds(seconds % mostSeconds) + .microseconds(Int(micros) ?? 0)
    }

    private static func hex(_ line: Substring) -> KeyInput.Content? {
        let digits = line.filter { !$0.isWhitespace }
        guard digits.count == reportBytes * 2, digits.allSatisfy(\.isHexDigit) else { return nil }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return .report(bytes)
    }
}
