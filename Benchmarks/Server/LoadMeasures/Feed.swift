internal import Glibc
internal import UnixIO

/// One daemon's simulation input.
package struct Feed {
    private enum Kind: String {
        case swiped, keys, mqtt, gpsd, lirc, echo
    }

    private let kind: Kind
    private let descriptor: Int32
    private let report: [UInt8]
    /// What goes before the report, a line each, and is not measured.
    private let before: [[UInt8]]
    /// No reader that types is known to send its reports more quickly (docs/keyboards.md).
    private static let gapNanoseconds: UInt64 = 1_000_000

    /// What follows the number, so that messages are about as long as a state event of swiped.
    private static let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 150)

    /// - Parameter report: for swiped and the echo, the file of the report that is written each time; for keys, a file with a line for each
    ///   boot report of a swipe, the last of which is that of the key that ends it.
    package init?(_ kind: String, _ address: String, report path: String?) {
        guard let kind = Kind(rawValue: kind) else { return nil }
        self.kind = kind
        before = kind == .keys ? path.map(Feed.keysBefore) ?? [] : []
        switch kind {
        case .keys:
            descriptor = open(address, O_WRONLY | O_CLOEXEC)
            report = path.map(Feed.lastKey) ?? []
        case .swiped, .echo:
            descriptor = open(address, O_WRONLY | O_CLOEXEC)
            report = path.map(Feed.report) ?? []
        case .gpsd:
            descriptor = Sockets.datagrams(to: UInt16(address) ?? 0)
            report = []
        case .mqtt:
            descriptor = Sockets.connect(address)
            report = []
            Sockets.send(
                descriptor, [0x10, 13, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 1, UInt8(ascii: "p")])
        case .lirc:
            descriptor = Sockets.connect(address)
            report = []
        }
        guard descriptor >= 0 else { return nil }
        // A sentence that every receiver sends tells gpsd what it is listening to.
        if kind == .gpsd {
            for _ in 0..<20 {
                _ = sendSentence("GPRMC,120000.00,A,4717.11,N,00833.91,E,0.0,0.0,211126,,,A")
                usleep(100_000)
            }
        }
    }

    /// What has to come before what is measured, at a reader's own pace; false where the daemon takes no more.
    package func prepare() -> Bool {
        before.allSatisfy { line in
            let next = Clock.now() + Self.gapNanoseconds
            guard Whole.write(line, to: descriptor) == 0 else { return false }
            Clock.sleep(until: next)
            return true
        }
    }

    package func send(_ number: Int) -> Bool {
        switch kind {
        case .swiped, .keys, .echo: return Whole.write(report, to: descriptor) == 0
        case .mqtt:
            let payload = Array("\(number) ".utf8) + Feed.filler
            let length = 3 + payload.count
            return Sockets.send(
                descriptor,
                [0x30, UInt8(length & 0x7F | 0x80), UInt8(length >> 7), 0, 1, UInt8(ascii: "e")] + payload)
        case .gpsd: return sendSentence("GPTXT,01,01,02,#\(number)")
        case .lirc:
            let digits = String(number, radix: 16)
            let code = String(repeating: "0", count: 16 - digits.count) + digits
            defer { drain() }
            return Sockets.send(descriptor, Array("SIMULATE \(code) 00 KEY_1 bench\n".utf8))
        }
    }

    private func sendSentence(_ body: String) -> Bool {
        let sum = body.utf8.reduce(0, ^)
        let digits = String(sum, radix: 16, uppercase: true)
        return Sockets.send(descriptor, Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8))
    }

    /// The answers, and the events that the daemon sends to this client too.
    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    private static func report(_ path: String) -> [UInt8] { lines(path).flatMap { $0 } + [10] }

    private static func lastKey(_ path: String) -> [UInt8] { (lines(path).last ?? []) + [10] }

    /// The key that ended the swipe before goes up first.
    private static func keysBefore(_ path: String) -> [[UInt8]] {
        let released = [UInt8](repeating: UInt8(ascii: "0"), count: 16)
        return ([released] + lines(path).dropLast()).map { $0 + [10] }
    }

    private static func lines(_ path: String) -> [[UInt8]] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var lines: [[UInt8]] = []
        var line = [CChar](repeating: 0, count: 8_192)
        while fgets(&line, 8_192, file) != nil {
            let bytes = line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:))
            if bytes.first != UInt8(ascii: "#") { lines.append(Array(bytes)) }
        }
        return lines
    }
}
