import DeviceIO
import Glibc
import ReaderKit

/// What the transports cost, on the virtual devices.
///
///     device-probe measure-capture SECONDS     CPU of a capture of silence at 48 kHz, in percent of a core
///     device-probe measure-reports COUNT       from the write of a report to `receive()`, microseconds
enum Measurement {
    private static let reportLength = 337
    private static let pauseMicroseconds: UInt32 = 2_000

    static func capture(seconds: Int) async throws(DeviceError) -> String {
        let source = try makeSource()
        defer { remove(source) }
        let reader = VirtualReaderConfiguration(name: "measured", kind: .audio, source: source)
        let capture = try await reader.openCapture()
        let before = processorSeconds()
        var frames = 0
        while frames < seconds * 48_000 { frames += try await capture.receive().samples.count }
        let percent = (processorSeconds() - before) / Double(seconds) * 100
        await capture.close()
        return "capture of silence, 48 kHz: \(thousandths(percent)) % of a core over \(seconds) s"
    }

    static func reports(count: Int) async throws(DeviceError) -> String {
        let source = try makeSource()
        defer { remove(source) }
        let descriptor: [UInt8] = [
            0x75, 0x08, 0x96, UInt8(reportLength & 0xFF), UInt8(reportLength >> 8), 0x81, 0x02,
        ]
        let reader = VirtualReaderConfiguration(
            name: "measured", kind: .hid(vendorID: 0x0801, productID: 0x0002, reportDescriptor: descriptor),
            source: source)
        let transport = try await reader.openHID()
        let file = open(source, O_WRONLY | O_CLOEXEC)
        defer { Glibc.close(file) }
        var latencies: [Duration] = []
        let report = [UInt8](repeating: 0, count: reportLength)
        for _ in 0..<max(1, count) {
            usleep(pauseMicroseconds)
            let start = ContinuousClock.now
            _ = report.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            _ = try await transport.receive()
            latencies.append(ContinuousClock.now - start)
        }
        await transport.close()
        latencies.sort()
        let microseconds = latencies.map { Double($0.components.attoseconds) / 1e12 }
        let p50 = microseconds[microseconds.count / 2]
        let p99 = microseconds[microseconds.count * 99 / 100]
        return
            "report to receive(): p50 \(thousandths(p50)) us, p99 \(thousandths(p99)) us, n = \(microseconds.count)"
    }

    private static func makeSource() throws(DeviceError) -> String {
        let path = "/tmp/device-probe-\(getpid())"
        guard mkfifo(path, 0o600) == 0 else { throw .system(errno: errno, operation: "mkfifo") }
        return path
    }

    private static func remove(_ source: String) { unlink(source) }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func thousandths(_ value: Double) -> String { "\((value * 1_000).rounded() / 1_000)" }
}
