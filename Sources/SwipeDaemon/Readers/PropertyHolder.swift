import NIOConcurrencyHelpers
package import ReaderKit

/// A reader that can be asked for its properties now.
package protocol PropertyHolder: Sendable {
    func property(_ name: String, newValue: PropertyValue?) async -> Result<PropertyValue, PropertyError>
}

extension ReaderSession: PropertyHolder {}

/// The session at work on a reader, if there is one: sessions come and go while the reader stays.
package final class CurrentSession: Sendable {
    private let box = NIOLockedValueBox<(any PropertyHolder)?>(nil)

    package var holder: (any PropertyHolder)? {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }
}
