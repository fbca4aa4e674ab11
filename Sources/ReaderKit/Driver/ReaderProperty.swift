/// A setting or a fact that a reader keeps itself, by name: `serial`, `magnesafe_version`, `interface_type`.
package struct PropertyDescriptor: Sendable, Hashable {
    /// The stable name that clients use.
    package var name: String
    /// One sentence for people.
    package var summary: String
    package var isWritable: Bool

    package init(name: String, summary: String, isWritable: Bool) {
        self.name = name
        self.summary = summary
        self.isWritable = isWritable
    }
}

/// The value of a property.
package enum PropertyValue: Sendable, Hashable {
    case text(String)
    case number(Int)
    /// A value without a meaning of its own, as upper-case hex on the wire.
    case bytes([UInt8])
}

/// A client's wish to read or to change a property.
package struct PropertyRequest: Sendable, Hashable {
    /// Chosen by the asker; comes back in the reply.
    package var token: UInt64
    package var name: String
    /// The value to set; nil reads.
    package var newValue: PropertyValue?

    package init(token: UInt64, name: String, newValue: PropertyValue? = nil) {
        self.token = token
        self.name = name
        self.newValue = newValue
    }
}

/// How a property request ended.
package struct PropertyReply: Sendable, Hashable {
    package var token: UInt64
    package var name: String
    /// The value read, or the value that was set.
    package var outcome: Result<PropertyValue, PropertyError>

    package init(token: UInt64, name: String, outcome: Result<PropertyValue, PropertyError>) {
        self.token = token
        self.name = name
        self.outcome = outcome
    }
}

/// Why a property could not be read or set. Each has a sentence.
package enum PropertyError: Error, Sendable, Hashable {
    /// This reader has no property of that name.
    case unknown
    case readOnly
    /// The value is of the wrong type, too long or out of range; the words say what is allowed.
    case badValue(String)
    /// The reader takes this only with a message authentication code of its key, which this daemon does not hold.
    case needsAuthentication
    /// The reader refused; `reason` is the name of its result code.
    case refused(reason: String)
    /// The reader did not answer in time.
    case timedOut
    /// Too many requests wait already.
    case busy
    /// The device failed below the protocol.
    case device(DeviceError)

    /// What to tell a person.
    package var sentence: String {
        switch self {
        case .unknown: "this reader has no property of that name"
        case .readOnly: "the property can only be read"
        case .badValue(let allowed): "the value is not allowed: \(allowed)"
        case .needsAuthentication:
            "from security level 3 on the reader accepts this only with a MAC made with its key, which swiped does not have"
        case .refused(let reason): "the reader refused: \(reason)"
        case .timedOut: "the reader did not answer in time"
        case .busy: "too many property requests are waiting for this reader"
        case .device: "the device failed while the property was read or set"
        }
    }
}
