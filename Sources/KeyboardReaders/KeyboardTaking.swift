/// Whether a keyboard may be taken out of the focus, and why not: decided by what is known of it, and of the others.
package struct KeyboardTaking: Sendable, Hashable {
    /// What the configuration says of it.
    package enum Consent: Sendable, Hashable {
        case none
        /// `keyboard_readers = known`, and its ids are those of a reader and of nothing else.
        case knownID
        /// A section of its own.
        case section(isForced: Bool)
    }

    package enum Refusal: String, Sendable, Hashable, Error {
        case noConsent = "the configuration does not name it"
        case givenBack =
            "a person typed on it, so it was given back; it is taken again once it is plugged in anew"
        case pointer = "it is a mouse, a tablet or a part of one; force = yes takes it all the same"
        case onlyKeyboard =
            "it is the only keyboard of this machine; force = yes takes it all the same, and so does another keyboard"
    }

    package var consent: Consent
    /// It moves a pointer, or is one device with something that does.
    package var hasPointer: Bool
    /// Keyboards beside it that nobody takes.
    package var otherKeyboards: Int
    package var wasGivenBack: Bool

    package init(consent: Consent, hasPointer: Bool, otherKeyboards: Int, wasGivenBack: Bool) {
        self.consent = consent
        self.hasPointer = hasPointer
        self.otherKeyboards = otherKeyboards
        self.wasGivenBack = wasGivenBack
    }

    /// Nil where it may be taken.
    package var refusal: Refusal? {
        let isForced: Bool
        switch consent {
        case .none: return .noConsent
        case .knownID: isForced = false
        case .section(let force): isForced = force
        }
        if wasGivenBack { return .givenBack }
        if isForced { return nil }
        if hasPointer { return .pointer }
        return otherKeyboards == 0 ? .onlyKeyboard : nil
    }
}
