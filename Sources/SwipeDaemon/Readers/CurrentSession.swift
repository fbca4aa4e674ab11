import NIOConcurrencyHelpers
package import ReaderKit

/// A reader that can be asked something now.
package protocol ReaderAsker: Sendable {
    func property(_ name: String, newValue: PropertyValue?) async -> Result<PropertyValue, PropertyError>
    func request(_ request: ReaderRequest) async -> RequestOutcome
}

extension ReaderSession: ReaderAsker {}

/// The session at work on a reader, if there is one: sessions come and go while the reader stays.
package final class CurrentSession: Sendable {
    private let box = NIOLockedValueBox<(any ReaderAsker)?>(nil)

    package init() {}

    package var holder: (any ReaderAsker)? {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }
}
