internal import Glibc

extension OpenAttempt {
    /// The clock of this machine, as ``time`` has it.
    static var now: Int { Glibc.time(nil) }

    /// Whether it was surely written down less than so long ago: one of which that is not known, or that is of tomorrow, was not.
    func isYounger(than age: Duration) -> Bool {
        // Clocks are set back by a little all the time.
        time > 0 && (-60..<age.components.seconds).contains(Int64(Self.now) - Int64(time))
    }

    /// Milliseconds since the machine began, its sleep included.
    static var sinceBoot: Int {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// Names this start of the machine (random(4)); empty where /proc does not say.
    static let boot: String = {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(count, 0)).prefix { $0 > 0x20 }, as: UTF8.self)
    }()

    /// When it was written down, as `2026-11-22 21:05:10 UTC`; nil where that is not known.
    public var timeText: String? {
        var seconds = time_t(time)
        var parts = tm()
        guard time > 0, gmtime_r(&seconds, &parts) != nil else { return nil }
        let two = { (value: Int32) in value < 10 ? "0\(value)" : "\(value)" }
        let day = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
    }
}
