import Glibc
import ReaderKit

/// What sysfs tells of a sound card that can capture.
enum SoundCardIdentity {
    /// A card appears with its `add` before its nodes do; udev's rules mark it on the `change` that ends its setup.
    private static let initialized = "SOUND_INITIALIZED"

    /// Nil for what is not a card, for a card that is not ready yet, and for one that only plays.
    static func read(_ device: UdevNode) -> DeviceIdentity? {
        guard
            device.subsystem == DeviceSubsystem.sound.rawValue,
            let syspath = device.syspath, device.sysname?.hasPrefix("card") == true,
            device.property(initialized) == "1",
            let id = device.attribute("id"),
            let pcm = captureDevice(names: entries(of: syspath))
        else { return nil }
        let usb = device.parent(subsystem: "usb", type: "usb_device")
        return DeviceIdentity(
            readerID: ReaderName.plain("audio-" + id), bus: .audio,
            vendorID: hex(usb?.attribute("idVendor")), productID: hex(usb?.attribute("idProduct")),
            serial: ReaderName.serial(usb?.attribute("serial")),
            product: usb?.attribute("product"),
            port: device.property("ID_PATH"), node: "hw:CARD=\(id),DEV=\(pcm)", syspath: syspath)
    }

    /// The lowest capture device of a card's folder: `pcmC1D0c` is device 0, `p` at the end would be playback.
    static func captureDevice(names: [String]) -> Int? {
        names.compactMap { name -> Int? in
            guard name.hasPrefix("pcmC"), name.hasSuffix("c"), let mark = name.lastIndex(of: "D") else {
                return nil
            }
            return Int(name[name.index(after: mark)...].dropLast())
        }.min()
    }

    private static func hex(_ text: String?) -> UInt16? { text.flatMap { UInt16($0, radix: 16) } }

    private static func entries(of folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory), names.count < DeviceTable.maximumDevices {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { field in
                    field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }
}
