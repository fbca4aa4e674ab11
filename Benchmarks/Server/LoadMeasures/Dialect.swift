internal import Glibc

/// How a daemon is asked for its events, and how the number of an event is found in what it sends.
package enum Dialect: String {
    case swiped, mqtt, gpsd, lirc
    /// What came is sent on, as it is.
    case echo

    /// Connects and subscribes; -1 when the daemon does not take the client. `last` becomes the number of the last
    /// event before the first that will come.
    package func subscribe(_ address: String, _ index: Int, last: inout Int) -> Int32 {
        let descriptor = Sockets.connect(address)
        guard descriptor >= 0 else { return -1 }
        if isTaken(descriptor, index, last: &last) { return descriptor }
        close(descriptor)
        return -1
    }

    private func isTaken(_ descriptor: Int32, _ index: Int, last: inout Int) -> Bool {
        switch self {
        case .swiped:
            // The greeting, then the answer: what follows are events.
            Sockets.send(
                descriptor, Array(#"{"id":1,"method":"subscribe","params":{"snapshot":false}}"#.utf8) + [10])
            guard skipLine(descriptor), let answer = line(descriptor) else { return false }
            last = answer.withUnsafeBytes { decimal($0, after: "\"seq\":", within: 64) } ?? 0
        case .gpsd:
            guard skipLine(descriptor) else { return false }
            Sockets.send(descriptor, Array(#"?WATCH={"enable":true,"nmea":true};"#.utf8) + [10])
            // Devices and the watch itself.
            for _ in 0..<2 where !skipLine(descriptor) { return false }
        case .lirc, .echo: break
        case .mqtt:
            // CONNECT: protocol 4, clean session, no keep-alive; SUBSCRIBE to "e", QoS 0 (MQTT 3.1.1).
            let name = Array("r\(index)".utf8)
            Sockets.send(
                descriptor,
                [0x10, UInt8(12 + name.count), 0, 4] + Array("MQTT".utf8) + [
                    4, 2, 0, 0, 0, UInt8(name.count),
                ] + name)
            Sockets.send(descriptor, [0x82, 6, 0, 1, 0, 1, UInt8(ascii: "e"), 0])
            for length in [4, 5] where !skip(descriptor, length) { return false }
        }
        return true
    }

    /// Takes whole messages from the front; returns how many bytes they had. Calls back with each event's number.
    package func take(_ bytes: UnsafeRawBufferPointer, _ event: (Int) -> Void) -> Int {
        self == .mqtt ? takePackets(bytes, event) : takeLines(bytes, event)
    }

    private func takeLines(_ bytes: UnsafeRawBufferPointer, _ event: (Int) -> Void) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var start = 0
        while start < bytes.count, let end = memchr(base + start, 10, bytes.count - start) {
            let length = UnsafeRawPointer(end) - (base + start)
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)])
            if let number = number(in: line) { event(number) }
            start += length + 1
        }
        return start
    }

    private func number(in line: UnsafeRawBufferPointer) -> Int? {
        switch self {
        case .swiped: decimal(line, after: "\"seq\":", within: 64)
        // $GPGGA,…: the number stands where the altitude does.
        case .gpsd: line.starts(with: "$GPTXT".utf8) ? decimal(line, after: "#", within: 48) : nil
        // CODE COUNT BUTTON REMOTE: the number is the code, in hex.
        case .lirc: hexadecimal(line)
        case .echo: 0
        case .mqtt: nil
        }
    }

    private func decimal(_ line: UnsafeRawBufferPointer, after key: StaticString, within limit: Int) -> Int? {
        let length = key.utf8CodeUnitCount
        guard let base = line.baseAddress, line.count > length else { return nil }
        for start in 0..<min(limit, line.count - length) where line[start] == key.utf8Start[0] {
            guard memcmp(base + start, key.utf8Start, length) == 0 else { continue }
            var number = 0
            for byte in line[(start + length)...] {
                guard byte >= 48, byte < 58 else { break }
                number = number &* 10 &+ Int(byte - 48)
            }
            return number
        }
        return nil
    }

    private func hexadecimal(_ line: UnsafeRawBufferPointer) -> Int? {
        var number = 0
        for byte in line.prefix(16) {
            switch byte {
            case 48...57: number = number << 4 | Int(byte - 48)
            case 97...102: number = number << 4 | Int(byte - 87)
            default: return nil
            }
        }
        return line.count > 16 ? number : nil
    }

    /// PUBLISH: fixed header, remaining length, topic, payload: a decimal number, then filler.
    private func takePackets(_ bytes: UnsafeRawBufferPointer, _ event: (Int) -> Void) -> Int {
        var start = 0
        while bytes.count - start >= 2 {
            var (length, shift, at) = (0, 0, start + 1)
            while at < bytes.count, bytes[at] & 0x80 != 0 {
                length |= Int(bytes[at] & 0x7F) << shift
                shift += 7
                at += 1
            }
            guard at < bytes.count else { break }
            length |= Int(bytes[at]) << shift
            let end = at + 1 + length
            guard end <= bytes.count else { break }
            if bytes[start] & 0xF0 == 0x30 {
                var number = 0
                for byte in bytes[(at + 4)..<end] {
                    guard byte >= 48, byte < 58 else { break }
                    number = number &* 10 &+ Int(byte - 48)
                }
                event(number)
            }
            start = end
        }
        return start
    }

    private func skipLine(_ descriptor: Int32) -> Bool { line(descriptor) != nil }

    private func line(_ descriptor: Int32) -> [UInt8]? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1 {
            if byte == 10 { return line }
            line.append(byte)
        }
        return nil
    }

    private func skip(_ descriptor: Int32, _ count: Int) -> Bool {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count
    }
}
