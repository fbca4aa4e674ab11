import ReaderPackets

/// The kernel's usbmon text interface (`/sys/kernel/debug/usb/usbmon/1u`).
///
///     ffff8881 3575914555 C Ii:1:002:1 0:8 16 = 0000003c 251f0025 42353435 32333030
///     tag      time       | address    | |  | data in words
///           C: completed ─┘     status ┘ |  └ length
///                               interval ┘
///
/// ASSUMPTION, from the kernel's Documentation/usb/usbmon.rst: an interrupt transfer from the device has the address
/// `Ii:…`, and the interface shows the first 32 bytes of a transfer.
struct USBTrace: Sendable {
    var reports: [[UInt8]] = []
    /// Some transfer was longer than what was shown of it.
    var isCut = false

    /// Nil where the lines are no trace.
    static func read(_ lines: [ArraySlice<UInt8>]) -> Self? {
        var trace = Self()
        var isTrace = false
        for line in lines {
            let words = line.split(separator: 0x20)
            guard words.count >= 6, words[2].count == 1,
                let address = words.dropFirst(3).first, address.starts(with: "Ii:".utf8)
            else { continue }
            isTrace = true
            guard words[2].first == UInt8(ascii: "C"), words.count >= 8, words[6].elementsEqual("=".utf8),
                let length = Int(String(decoding: words[5], as: UTF8.self)),
                let data = HexField.bytes(words.dropFirst(7).joined())
            else { continue }
            if data.count < length { trace.isCut = true }
            trace.reports.append(data)
        }
        return isTrace ? trace : nil
    }
}
