import DeviceIO
import ReaderCatalog
import ReaderKit

extension SettingsCatalogue {
    /// The settings of a reader on a serial line. `device` and `type` must be written: a line says nothing of what is on it.
    static let serial: [SettingDescription] =
        [
            SettingDescription(
                "serial-reader", "device", .path, nil,
                "the line: /dev/serial/by-id/NAME, which stays when numbers change, or /dev/ttyS0"),
            type("serial-reader"),
            SettingDescription(
                "serial-reader", "baud", .choice(SerialLineConfiguration.speeds.map { "\($0)" }), "9600",
                "bits a second"),
            SettingDescription(
                "serial-reader", "frame", .choice(SerialLineConfiguration.Frame.allCases.map(\.rawValue)),
                "8N1", "bits of a character, parity, stop bits"),
            SettingDescription(
                "serial-reader", "dtr", .flag, "yes", "raise DTR, which many readers draw their power from"),
            SettingDescription("serial-reader", "rts", .flag, "yes", "raise RTS, likewise"),
        ] + encoders("serial-reader")

    static let virtualSerial: [SettingDescription] =
        [
            type("virtual-serial"),
            SettingDescription(
                "virtual-serial", "source", .path, nil,
                "a named pipe; what is written to it is what the line carries"),
        ] + encoders("virtual-serial")

    private static func type(_ section: String) -> SettingDescription {
        SettingDescription(
            section, "type", .choice(ReaderCatalog.serial.map { $0.descriptor.name }), nil,
            "what is on it: docs/serial-readers.md")
    }

    /// The settings of encoders that are read with: MSR605X in the section hid, the others in that of their line.
    static func encoders(_ section: String) -> [SettingDescription] {
        [
            SettingDescription(
                section, "reading", .choice(EncoderReading.allCases.map(\.rawValue)),
                EncoderReading.raw.rawValue,
                "what an encoder of the MSR605's kind is asked for: the stripe's bits, or texts of the ISO formats"
            ),
            SettingDescription(
                section, "formats", .optionalPath, "",
                "a file of card formats of one's own, for encoders that give bits: docs/decoder.md"),
        ]
    }
}
