import KeyboardReaders
package import ReaderKit

extension ReaderCatalog {
    /// The drivers for readers that type: one, whatever the maker.
    package static let keyboards: [any ReaderDriver<KeyInput>.Type] = [KeyboardReader.self]

    /// What is known of a reader that types, by its ids; certain where nothing else has them.
    package static func typing(_ device: DeviceIdentity) -> (model: String, isCertain: Bool)? {
        KnownKeyboards.find(device).map { ($0.model, $0.isCertain) }
    }
}
