internal import CEpoll
internal import Glibc
internal import LoadMeasures

/// One event after the other through a daemon that runs already, and what its process did meanwhile.
struct Beside {
    /// The first ones warm up.
    private static let warm = 50

    private let feed: Feed
    private let dialect: Dialect
    private let client: Int32
    private let process: ProcessCounts.ID
    private var rest: [UInt8] = []

    /// - Parameters:
    ///   - address: where clients connect; `input` is where the daemon's own simulation takes what it is fed.
    ///   - report: the file of the report, for those that read one.
    init(_ kind: String, input: String, address: String, process: Int32, report: String) throws(Failure) {
        guard let dialect = Dialect(rawValue: kind == "keys" ? "swiped" : kind) else {
            throw Failure(what: "no daemon \(kind)")
        }
        self.dialect = dialect
        self.process = ProcessCounts.ID(number: process)
        var last = 0
        client = dialect.subscribe(address, 0, last: &last)
        guard client >= 0 else { throw Failure(what: "\(kind) takes no client") }
        guard let feed = Feed(kind, input, report: report) else { throw Failure(what: "cannot feed \(kind)") }
        self.feed = feed
    }

    /// One line of figures: microseconds, and counts for each event.
    mutating func run(_ count: Int, pause milliseconds: UInt64) throws(Failure) -> String {
        for number in 1...Self.warm { _ = try event(number, after: milliseconds) }
        var times = Histogram()
        let before = ProcessCounts(process)
        for number in 1...count { times.add(try event(Self.warm + number, after: milliseconds)) }
        let used = ProcessCounts(process).since(before, of: count)
        return "\(times.percentile(0.5)) \(times.percentile(0.99)) \(times.maximum) \(used)"
    }

    /// Microseconds from the write to the moment at which the event is read.
    private mutating func event(_ number: Int, after milliseconds: UInt64) throws(Failure) -> UInt64 {
        if milliseconds > 0 { Clock.sleep(until: Clock.now() + milliseconds * 1_000_000) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        guard feed.prepare() else { throw Failure(what: "the daemon takes no keys after \(number) events") }
        let start = Clock.now()
        guard feed.send(number) else {
            throw Failure(what: "the daemon takes no more after \(number) events")
        }
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            let time = Clock.now() - start
            guard count > 0 else { throw Failure(what: "the client was closed") }
            rest += buffer.prefix(count)
            var found = 0
            let taken = rest.withUnsafeBytes { bytes in dialect.take(bytes) { _ in found += 1 } }
            rest.removeFirst(taken)
            if found > 0 { return (time + 500) / 1_000 }
        }
    }
}

/// What the kernel counts of a process, all its threads together.
struct ProcessCounts {
    struct ID {
        var number: Int32
    }

    private var voluntary = 0
    private var forced = 0
    private var faults = 0
    private var ticks = 0

    init(_ process: ID) {
        let folder = "/proc/\(process.number)"
        if let tasks = opendir(folder + "/task") {
            defer { closedir(tasks) }
            while let entry = readdir(tasks) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard name.first != "." else { continue }
                let status = Self.text(folder + "/task/" + name + "/status")
                voluntary += Self.number("\nvoluntary_ctxt_switches:", in: status)
                forced += Self.number("\nnonvoluntary_ctxt_switches:", in: status)
            }
        }
        // proc(5): the name in parentheses may hold blanks; behind it minflt is the 8th field, utime and stime 12th and 13th.
        let words = Self.text(folder + "/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 13 else { return }
        faults = Int(words[7]) ?? 0
        ticks = (Int(words[11]) ?? 0) + (Int(words[12]) ?? 0)
    }

    /// Voluntary switches, each of which a wake-up ends; forced ones; minor faults; for each of so many events.
    func since(_ before: ProcessCounts, of count: Int) -> String {
        [
            voluntary - before.voluntary, forced - before.forced, faults - before.faults,
            (ticks - before.ticks) * 10_000,
        ].map { String(Double($0 * 1_000 / count) / 1_000) }.joined(separator: " ")
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func number(_ name: String, in text: String) -> Int {
        guard let range = text.firstRange(of: name) else { return 0 }
        return Int(text[range.upperBound...].drop { $0 == "\t" || $0 == " " }.prefix { $0.isNumber }) ?? 0
    }
}
