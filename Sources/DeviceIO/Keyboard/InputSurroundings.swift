import Glibc
package import ReaderKit
import SystemPackage

/// What else the device is that an input device is a part of.
///
///     /sys/devices/…/usb1/1-1/1-1:1.0/0003:…/input/input7/event3       a part of 1-1
///     /sys/devices/…/1-1/1-1:1.1/0003:…/input/input8/capabilities/rel  another one of its parts
package enum InputSurroundings {
    /// More input devices than a machine has.
    private static let mostInputs = 1_024
    /// REL_X and REL_Y, ABS_X and ABS_Y: a wheel alone, or a volume, is no pointer.
    private static let plane: UInt64 = 0b11
    /// Escape, the digits, Q to D: what has all of them, udev calls a keyboard (ID_INPUT_KEYBOARD).
    private static let letters: UInt64 = 0xFFFF_FFFE

    /// Whether it moves a pointer, or is one with something that does.
    package static func hasPointer(_ device: DeviceIdentity, inputs folder: String = "/sys/class/input")
        -> Bool
    {
        let own = whole(device.syspath)
        for name in names(in: folder) where name.hasPrefix("input") {
            guard let path = realPath("\(folder)/\(name)"), (path + "/").hasPrefix(own + "/") else {
                continue
            }
            for kind in ["rel", "abs"] where bits("\(path)/capabilities/\(kind)") & plane == plane {
                return true
            }
        }
        return false
    }

    /// Whether two input devices, or HID devices, are parts of one.
    package static func areOne(_ one: DeviceIdentity, _ other: DeviceIdentity) -> Bool {
        whole(one.syspath) == whole(other.syspath)
    }

    /// Whether what types is inhibited: `…/input7/event3` is a node of one input; `…/0003:C216:0180.0001/hidraw/hidraw3` has its inputs
    /// beside it. Those without letters (volume, a power key) are left as they are: udev's rule inhibits keyboards alone.
    package static func isInhibited(_ device: DeviceIdentity) -> Bool {
        let parts = device.syspath.split(separator: "/", omittingEmptySubsequences: false)
        if device.isEventDevice {
            return bits(parts.dropLast().joined(separator: "/") + "/inhibited") == 1
        }
        guard let end = parts.lastIndex(of: "hidraw") else { return false }
        let inputs = parts[..<end].joined(separator: "/") + "/input"
        let keyboards = names(in: inputs).filter { $0.hasPrefix("input") }.map { "\(inputs)/\($0)" }
            .filter { bits("\($0)/capabilities/key") & letters == letters }
        return !keyboards.isEmpty && keyboards.allSatisfy { bits("\($0)/inhibited") == 1 }
    }

    /// Whether the HID device of an input has a hidraw node: `…/0003:C216:0180.0001/input/input7/event3` beside `…/hidraw/hidraw3`.
    /// None of PS/2, nor of what a program made (uinput).
    package static func hasReports(_ device: DeviceIdentity) -> Bool {
        let parts = device.syspath.split(separator: "/", omittingEmptySubsequences: false)
        guard device.isEventDevice, let end = parts.lastIndex(of: "input") else { return false }
        let nodes = parts[..<end].joined(separator: "/") + "/hidraw"
        return names(in: nodes).contains { $0.hasPrefix("hidraw") }
    }

    /// The device with all its interfaces: of USB what stands before the first interface; of others the one that the input belongs to, or
    /// the hidraw node, and of Bluetooth the HID device. What a program made (uinput) belongs to none, and is one by itself.
    static func whole(_ syspath: String) -> String {
        let parts = syspath.split(separator: "/", omittingEmptySubsequences: false)
        // The adapter that it is connected to may be a part of a USB device, and so may others' of it.
        if let bluetooth = parts.lastIndex(where: { $0.hasPrefix("0005:") }) {
            return parts[...bluetooth].joined(separator: "/")
        }
        if let interface = parts.lastIndex(where: isInterface) {
            return parts[..<interface].joined(separator: "/")
        }
        guard let end = parts.lastIndex(where: { $0 == "input" || $0 == "hidraw" }) else { return syspath }
        let isMade = end > 0 && parts[end - 1] == "virtual"
        return parts[..<(isMade ? min(end + 2, parts.count) : end)].joined(separator: "/")
    }

    /// `1-1.4:1.0`
    private static func isInterface(_ part: Substring) -> Bool {
        let halves = part.split(separator: ":")
        return halves.count == 2 && halves[0].contains("-") && halves[1].contains(".")
            && part.allSatisfy { $0.isNumber || "-.:".contains($0) }
    }

    /// The lowest 64 of a bit map in hexadecimal, whose last word they are.
    private static func bits(_ path: String) -> UInt64 {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec]),
            let text = try? file.closeAfter({
                try String(unsafeUninitializedCapacity: 256) { buffer in
                    try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
            })
        else { return 0 }
        return text.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) } ?? 0
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < mostInputs, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
