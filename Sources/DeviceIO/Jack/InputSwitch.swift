import Glibc
import SystemPackage

/// An open input device with a switch that a plug moves.
struct InputSwitch: ~Copyable {
    /// Switches of linux/input-event-codes.h: SW_HEADPHONE_INSERT, SW_MICROPHONE_INSERT.
    private static let switches: UInt8 = 1 << 2 | 1 << 4
    /// linux/input.h: the first of them, 0…7, by EVIOCGSW(1), which is _IOC(_IOC_READ, 'E', 0x1b, 1).
    private static let readSwitches: UInt = 2 << 30 | 1 << 16 | 0x45 << 8 | 0x1b
    /// EVIOCGBIT(EV_SW, 1): which of these there are at all; EV_SW is 5.
    private static let knownSwitches: UInt = 2 << 30 | 1 << 16 | 0x45 << 8 | (0x20 + 5)
    /// Events are thrown away: the state is asked for anew, which also holds where the kernel dropped some.
    private static let eventBytes = 4_096

    let name: String
    private let file: FileDescriptor

    /// Nil where the device cannot be opened, or no plug moves a switch of it.
    init?(_ device: UdevNode) {
        guard let name = device.parent(subsystem: DeviceSubsystem.input.rawValue)?.attribute("name"),
            let node = device.devnode, let file = Self.open(node)
        else { return nil }
        self.name = name
        self.file = file
    }

    private static func open(_ node: String) -> FileDescriptor? {
        guard
            let file = try? FileDescriptor.open(
                FilePath(node), .readOnly, options: [.nonBlocking, .closeOnExec])
        else { return nil }
        guard let known = bits(file, knownSwitches), known & switches != 0 else {
            try? file.close()
            return nil
        }
        return file
    }

    deinit { try? file.close() }

    var descriptor: Int32 { file.rawValue }

    /// Whether something is in the jack; nil when the device is gone.
    borrowing func isIn() -> Bool? { Self.bits(file, Self.readSwitches).map { $0 & Self.switches != 0 } }

    borrowing func throwEventsAway() {
        _ = withUnsafeTemporaryAllocation(byteCount: Self.eventBytes, alignment: 8) { buffer in
            read(file.rawValue, buffer.baseAddress, buffer.count)
        }
    }

    private static func bits(_ file: FileDescriptor, _ request: UInt) -> UInt8? {
        var bits: UInt8 = 0
        return ioctl(file.rawValue, request, &bits) >= 0 ? bits : nil
    }
}
