import Glibc
import ReaderKit

/// Reads a device's reports on a loop. Everything but its making is done there.
final class HIDReportReader: @unchecked Sendable {
    private var reports: HIDReports?
    private let wait: LoopWait
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private let isNumbered: Bool
    private let hear: (Result<HIDReport, DeviceError>) -> Void
    /// It was stopped, or the device is gone.
    private var hasEnded = false

    /// - Parameters:
    ///   - length: of the longest report, its id included.
    ///   - hear: called with each report, and with what ended it.
    init(
        _ reports: consuming HIDReports, _ wait: LoopWait, length: Int, isNumbered: Bool,
        _ hear: @escaping (Result<HIDReport, DeviceError>) -> Void
    ) {
        self.reports = consume reports
        self.wait = wait
        self.isNumbered = isNumbered
        self.hear = hear
        buffer = .allocate(capacity: length)
        buffer.initialize(repeating: 0)
    }

    deinit { buffer.deallocate() }

    func begin() {
        guard !hasEnded else { return }
        wait.heard = { [self] in read() }
        again()
    }

    /// Reads nothing any more. Whether the device was there until then.
    func stop() -> Bool {
        defer { end() }
        return !hasEnded
    }

    func close() { reports = nil }

    /// One report, and then others have their turn: whether there is another, the next wait tells.
    private func read() {
        guard !hasEnded else { return }
        do throws(DeviceError) {
            guard let count = try reports?.read(into: buffer) else { return }
            if count > 0 {
                let report = HIDReport(read: buffer[..<count], isNumbered: isNumbered)
                // It held a card, and the next one may not come before the evening.
                if let bytes = buffer.baseAddress { explicit_bzero(bytes, count) }
                hear(.success(report))
            }
            again()
        } catch {
            fail(error)
        }
    }

    private func again() {
        guard let descriptor = reports?.descriptor else { return }
        let code = wait.begin(descriptor)
        if code != 0 { fail(.system(errno: code, operation: "io_submit")) }
    }

    private func fail(_ error: DeviceError) {
        end()
        hear(.failure(error))
    }

    private func end() {
        hasEnded = true
        wait.cancel()
        wait.heard = {}
    }
}
