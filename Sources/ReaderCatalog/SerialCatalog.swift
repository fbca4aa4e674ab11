import MSRReaders
package import ReaderKit
import SerialReaders

extension ReaderCatalog {
    /// The drivers for serial lines, by whose names the configuration says what is on a line. A new one is one line here.
    package static let serial: [any ReaderDriver<SerialBytes>.Type] = [
        SerialListener<TextLine>.self,
        MSRLineDriver.self,
        SerialListener<SpectrumLine>.self,
        SerialListener<MRS100Line>.self,
    ]

    /// The one type that is sent commands.
    package static let encoderLine = MSRLineDriver.descriptor.name

    /// The driver of that name, and its match.
    package static func serialReader(
        type name: String
    ) -> (driver: any ReaderDriver<SerialBytes>.Type, match: DeviceMatch)? {
        for driver in serial where driver.descriptor.name == name {
            if let match = driver.descriptor.matches.first { return (driver, match) }
        }
        return nil
    }
}
