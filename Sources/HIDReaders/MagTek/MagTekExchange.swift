import ReaderKit

/// A command to a MagTek reader, and what its answer is for.
struct MagTekExchange: Sendable {
    /// What a driver asks every reader at the start.
    enum Question: Sendable, Hashable {
        case securityLevel, keySerialNumber, softwareID, serial, isoMask, keyVariant, counter
    }

    enum Purpose: Sendable {
        case question(Question)
        case property(PropertyRequest, MagTekProperty)
    }

    var command: MagTekCommand
    var purpose: Purpose

    /// MagneSafe readers tell how they encrypt.
    static let magneSafeQuestions = [
        Self(command: .getSecurityLevel, purpose: .question(.securityLevel)),
        Self(command: .getKeySerialNumber, purpose: .question(.keySerialNumber)),
        Self(command: .getEncryptionCounter, purpose: .question(.counter)),
        Self(command: .getProperty(0x00), purpose: .question(.softwareID)),
        Self(command: .getProperty(0x03), purpose: .question(.serial)),
        Self(command: .getProperty(0x07), purpose: .question(.isoMask)),
        Self(command: .getProperty(0x54), purpose: .question(.keyVariant)),
    ]

    static let sureSwipeQuestions = [
        Self(command: .getProperty(0x00), purpose: .question(.softwareID)),
        Self(command: .getProperty(0x01), purpose: .question(.serial)),
    ]
}

/// Why an exchange gave nothing.
enum MagTekExchangeFailure: Error, Sendable, Hashable {
    case response(MagTekResponse.Refusal)
    case timedOut
    case device(DeviceError)

    var propertyError: PropertyError {
        switch self {
        case .response(.result(.invalidOperation)): .needsAuthentication
        case .response(.result(let code)): .refused(reason: code.name)
        case .response(.malformed): .refused(reason: "an answer of the wrong form")
        case .timedOut, .device(.timedOut): .timedOut
        case .device(let error): .device(error)
        }
    }

    /// The reader said something: others may be asked. A reader that says nothing is not asked on.
    var isAnswer: Bool {
        switch self {
        case .response, .device(.refused): true
        case .timedOut, .device: false
        }
    }
}
