import Glibc
import ReaderKit
import SystemPackage

/// The reports of a keyboard whose input device is inhibited: they go on through hidraw, and nowhere else (docs/decisions/0620).
///
/// Why not ``HIDTransport``: the kernel drops the newest reports without a word where 63 wait that nobody fetched, and that one does
/// not count how many there were. A swipe with a hole in it would be read as a whole one.
struct ReportKeyboard: ~Copyable, KeySource {
    /// Reports that the kernel holds for a program (HIDRAW_BUFFER_SIZE - 1, drivers/hid/hidraw.c).
    static let heldReports = 63
    /// Reports that are fetched at once; what is left is for the next time.
    private static let batch = 256
    /// The longest report of a boot keyboard with room for a number; of a longer one the rest is cut, and the driver refuses it.
    private static let mostBytes = 65

    private let file: FileDescriptor
    /// The number of the reports that hold keys; nil where reports have none.
    private let number: UInt8?

    init(path: String, number: UInt8?) throws(DeviceError) {
        self.init(descriptor: try EventKeyboard.open(path).rawValue, number: number)
    }

    /// - Parameter descriptor: does not block, and gives one report for each read; it is closed with this.
    init(descriptor: Int32, number: UInt8?) {
        file = FileDescriptor(rawValue: descriptor)
        self.number = number
    }

    deinit { try? file.close() }

    var descriptor: Int32 { file.rawValue }

    mutating func read() throws(DeviceError) -> [KeyInput] {
        var inputs: [KeyInput] = []
        var count = 0
        while count < Self.batch, let report = try next() {
            count += 1
            guard let keys = keys(in: report) else { continue }
            inputs.append(KeyInput(.report(keys), at: KeyboardTransport.now()))
        }
        // So many waited that the kernel may have had no room for more: somewhere among them, keys are missing.
        if count >= Self.heldReports {
            inputs.insert(KeyInput(.lost, at: inputs.first?.time ?? KeyboardTransport.now()), at: 0)
        }
        return inputs
    }

    /// Nil of a report that holds none: a volume, a battery. Its bytes are no keys, and nothing is wrong with it.
    private func keys(in report: [UInt8]) -> [UInt8]? {
        guard let number else { return report }
        return report.first == number ? Array(report.dropFirst()) : nil
    }

    /// Nil where there is none. A result leaves the closure, since Swift 6.2's allocation forgets which kind of error it throws.
    private func next() throws(DeviceError) -> [UInt8]? {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostBytes) { buffer in
            let count = Glibc.read(file.rawValue, buffer.baseAddress, buffer.count)
            guard count > 0 else { return Self.nothingRead(count) }
            defer {
                // It held a card's key.
                if let start = buffer.baseAddress { explicit_bzero(start, count) }
            }
            return .success(Array(buffer[..<count]))
        }.get()
    }

    /// What it means that read(2) gave 0 or -1. A device that is gone has an end.
    private static func nothingRead(_ count: Int) -> Result<[UInt8]?, DeviceError> {
        guard count < 0 else { return .failure(.gone) }
        if errno == EAGAIN || errno == EINTR { return .success(nil) }
        return .failure(
            [EIO, ENODEV, ENXIO, ESHUTDOWN].contains(errno)
                ? .gone : .system(errno: errno, operation: "read"))
    }
}
