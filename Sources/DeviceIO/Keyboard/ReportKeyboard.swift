import Glibc
import ReaderKit
import SystemPackage

/// The reports of a keyboard whose input device is inhibited: they go on through hidraw, and nowhere else (docs/decisions/0620).
///
/// Why not ``HIDTransport``: the kernel drops the newest reports without a word where 63 wait that nobody fetched, and libhidapi's
/// calls do not show how many there were. A swipe with a hole in it would be read as a whole one.
struct ReportKeyboard: ~Copyable, KeySource {
    /// Reports that the kernel holds for a program (HIDRAW_BUFFER_SIZE - 1, drivers/hid/hidraw.c).
    static let heldReports = 63
    /// Reports that are fetched at once; what is left is for the next time.
    private static let batch = 256
    /// The longest report of a boot keyboard with room for a number; of a longer one the rest is cut, and the driver refuses it.
    private static let mostBytes = 65

    private let file: FileDescriptor
    private let isNumbered: Bool

    init(path: String, isNumbered: Bool) throws(DeviceError) {
        self.init(descriptor: try EventKeyboard.open(path).rawValue, isNumbered: isNumbered)
    }

    /// - Parameter descriptor: does not block, and gives one report for each read; it is closed with this.
    init(descriptor: Int32, isNumbered: Bool) {
        file = FileDescriptor(rawValue: descriptor)
        self.isNumbered = isNumbered
    }

    deinit { try? file.close() }

    var descriptor: Int32 { file.rawValue }

    mutating func read() throws(DeviceError) -> [KeyInput] {
        var inputs: [KeyInput] = []
        while inputs.count < Self.batch, let report = try next() {
            inputs.append(KeyInput(.report(report), at: KeyboardTransport.now()))
        }
        // So many waited that the kernel may have had no room for more: somewhere among them, keys are missing.
        if inputs.count >= Self.heldReports, let first = inputs.first {
            inputs.insert(KeyInput(.lost, at: first.time), at: 0)
        }
        return inputs
    }

    /// Nil where there is none.
    private func next() throws(DeviceError) -> [UInt8]? {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostBytes) {
            buffer throws(DeviceError) -> [UInt8]? in
            let count = Glibc.read(file.rawValue, buffer.baseAddress, buffer.count)
            guard count >= 0 else {
                if errno == EAGAIN || errno == EINTR { return nil }
                throw [EIO, ENODEV, ENXIO, ESHUTDOWN].contains(errno)
                    ? .gone : .system(errno: errno, operation: "read")
            }
            // A device that is gone has an end.
            guard count > 0 else { throw .gone }
            defer {
                // It held a card's key.
                if let start = buffer.baseAddress { explicit_bzero(start, count) }
            }
            return Array(buffer[..<count].dropFirst(isNumbered ? 1 : 0))
        }
    }
}
