import KeyboardReaders
package import ReaderKit

extension ReaderCatalog {
    /// The drivers for readers that type: one, whatever the maker.
    package static let keyboards: [any ReaderDriver<KeyInput>.Type] = [KeyboardReader.self]
}
