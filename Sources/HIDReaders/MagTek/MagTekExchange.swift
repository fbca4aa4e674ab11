import ReaderKit

/// A command to a MagTek reader, and what its answer is for.
struct MagTekExchange: Sendable {
    /// What a driver asks every reader at the start.
    enum Question: Sendable, Hashable {
        case securityLevel, counter, softwareID, serial
        /// These two say nothing that clients hear of.
        case isoMask, keyVariant

        /// Whether clients wait for the answer: it is part of `connect`.
        var isIntroduction: Bool {
            switch self {
            case .securityLevel, .counter, .softwareID, .serial: true
            case .isoMask, .keyVariant: false
            }
        }
    }

    enum Purpose: Sendable {
        case question(Question)
        case property(PropertyRequest, MagTekProperty)
    }

    var command: MagTekCommand
    var purpose: Purpose
    /// Where an extended command stands; nil for the others, which are one request and one answer.
    var extended: MagTekExtendedDialogue?

    init(command: MagTekCommand, purpose: Purpose) {
        (self.command, self.purpose) = (command, purpose)
        if case .extended(let command) = command { extended = MagTekExtendedDialogue(command) }
    }

    /// Takes the feature report of an answer: what to send next, or the data of the whole answer.
    mutating func answered(_ report: [UInt8]) throws(MagTekResponse.Refusal) -> MagTekExtendedDialogue.Step {
        guard extended != nil else { return .done(try MagTekResponse.data(report)) }
        return try extended?.answered(report) ?? .done([])
    }

    var isIntroduction: Bool {
        if case .question(let question) = purpose { question.isIntroduction } else { false }
    }

    /// MagneSafe readers tell how they encrypt.
    static let magneSafeQuestions = [
        Self(command: .getSecurityLevel, purpose: .question(.securityLevel)),
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
    /// The reader's feature report has so many bytes, and the command more.
    case noRoom(bytes: Int)

    /// In a client's words. A reader says the same to a change without a MAC and to what it cannot do now.
    ///
    /// - Parameter wantsMAC: whether it may have wanted one.
    func propertyError(wantsMAC: Bool = false) -> PropertyError {
        switch self {
        case .response(.result(.invalidOperation)) where wantsMAC: .needsAuthentication
        case .response(.result(let code)): .refused(reason: code.name)
        case .response(.extended(let code)): .refused(reason: "extended result code \(code)")
        case .response(.malformed): .refused(reason: "an answer of the wrong form")
        case .response(.stillBusy): .refused(reason: "it is still busy")
        case .noRoom(let bytes): .refused(reason: "its feature report of \(bytes) bytes has no room for it")
        case .timedOut, .device(.timedOut): .timedOut
        case .device(let error): .device(error)
        }
    }

    /// The reader said something: others may be asked. A reader that says nothing is not asked on.
    var isAnswer: Bool {
        switch self {
        case .response, .device(.refused), .noRoom: true
        case .timedOut, .device: false
        }
    }
}
