import DeviceIO
import ReaderCatalog
import ReaderKit

/// The settings of readers on serial lines, and of encoders wherever they are.
extension ConfigurationReading {
    /// - Parameter owners: which section has a line. A line has one reader: two sections with one would keep it from each other.
    func serialReader(
        _ name: String, _ owners: inout [String: String]
    ) throws(ConfigurationError) -> DaemonConfiguration.SerialReader {
        let section = ["serial-reader", name]
        let device = try required(section, "device")
        if let other = owners.updateValue(name, forKey: device) {
            throw fault(section, "device", "[serial-reader \(other)] has the line \(device) already")
        }
        let line = SerialLineConfiguration(
            name: name, path: device, speed: integer(section, "baud"),
            frame: SerialLineConfiguration.Frame(rawValue: text(section, "frame")) ?? .eightNone,
            raisesDTR: flag(section, "dtr"), raisesRTS: flag(section, "rts"))
        let type = try required(section, "type")
        if let fault = Self.frameFault(line, type) { throw self.fault(section, fault.key, fault.words) }
        return DaemonConfiguration.SerialReader(
            line: line, type: type, options: try encoderOptions(section, of: type))
    }

    /// An encoder's commands are harmless as the bytes that they are: at another speed, or with seven bits, others would arrive.
    private static func frameFault(
        _ line: SerialLineConfiguration, _ type: String
    ) -> (key: String, words: String)? {
        guard type == ReaderCatalog.encoderLine else { return nil }
        if line.speed != 9600 { return ("baud", "an encoder (type \(type)) has 9600 baud and no other") }
        if line.frame != .eightNone { return ("frame", "an encoder (type \(type)) has 8N1 and no other") }
        return nil
    }

    func virtualSerial(
        _ name: String, _ owners: inout [String: String]
    ) throws(ConfigurationError) -> DaemonConfiguration.VirtualSerial {
        let section = ["virtual-serial", name]
        let type = try required(section, "type")
        return DaemonConfiguration.VirtualSerial(
            name: name, type: type, source: try source(of: section, &owners),
            options: try encoderOptions(section, of: type))
    }

    /// What an encoder is asked for, and the card formats of one's own that its bits are tried in.
    ///
    /// - Parameter type: of a reader on a line, of which only an encoder is asked for anything.
    func encoderOptions(
        _ section: [String], of type: String = ReaderCatalog.encoderLine
    ) throws(ConfigurationError) -> ReaderOptions {
        var options = ReaderOptions()
        guard type == ReaderCatalog.encoderLine else {
            for (key, usual) in [("reading", EncoderReading.raw.rawValue), ("formats", "")]
            where text(section, key) != usual {
                throw fault(
                    section, key, "is for encoders (type \(ReaderCatalog.encoderLine)), not for \(type)")
            }
            return options
        }
        options.encoderReading = EncoderReading(rawValue: text(section, "reading")) ?? .raw
        options.cardFormats = try cardFormats(section)
        return options
    }
}
