import AudioReaders
package import ReaderKit

extension ReaderCatalog {
    /// The drivers for sound inputs. A new audio reader is one line here.
    package static let audio: [any ReaderDriver<SampleBlock>.Type] = [
        PassiveHeadDriver.self
    ]

    /// What every driver says of itself, HID readers first.
    package static var descriptors: [DriverDescriptor] {
        hid.map { $0.descriptor } + audio.map { $0.descriptor }
    }
}
