import AudioReaders
package import ReaderKit

extension ReaderCatalog {
    /// The drivers for sound inputs. A new audio reader is one line here.
    package static let audio: [any ReaderDriver<SampleBlock>.Type] = [
        PassiveHeadDriver.self,
        UniMagDriver.self,
        IPSDriver<EncryptedIPS>.self,
        IPSDriver<EnterpriseIPS>.self,
        AutodetectDriver.self,
    ]

    /// The driver of a kind of audio reader, as the configuration names it, and its match.
    package static func audioReader(
        kind: String
    ) -> (driver: any ReaderDriver<SampleBlock>.Type, match: DeviceMatch)? {
        for driver in audio where driver.descriptor.kind == kind {
            if let match = driver.descriptor.matches.first { return (driver, match) }
        }
        return nil
    }

    /// What is wrong with card formats of one's own (``ReaderOptions/cardFormats``), as `line 3: …`; nil where they can
    /// be used.
    package static func fault(inCardFormats text: String) -> String? {
        PassiveHeadDriver.fault(inCardFormats: text)
    }

    /// What every reader's driver says of itself, HID readers first, then those on lines. The search for a kind is no reader.
    package static var descriptors: [DriverDescriptor] {
        hid.map { $0.descriptor } + serial.map { $0.descriptor }
            + audio.map { $0.descriptor }.filter { $0.name != AutodetectDriver.descriptor.name }
    }
}
