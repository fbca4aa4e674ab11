/// What a driver wants done. The session does it; the driver never does.
package enum DriverAction: Sendable, Hashable {
    /// Hand a command to the transport.
    case command(TransportCommand)
    /// Call ``ReaderDriver/timerFired()`` after this long, and not before the inputs that came in that time were received: one
    /// of them may still move or stop the timer. A driver has one timer; starting it again moves it.
    case startTimer(Duration)
    case stopTimer
    /// Something that clients hear of.
    case signal(ReaderSignal)
}

/// A command to a transport; carried out one at a time, in the order given.
///
/// A driver pads a report to its size. The bytes never hold the report id; `id` is 0 where the report descriptor
/// has none.
package enum TransportCommand: Sendable, Hashable {
    /// HID: set this feature report, get the answer; it comes back as a ``HIDReport`` of kind `.feature`.
    case feature([UInt8], id: UInt8 = 0)
    /// HID: set this feature report and read nothing: one frame of a command that takes several.
    case setFeature([UInt8], id: UInt8 = 0)
    /// HID: get the feature report; it comes back as with `feature`, empty where the device has no answer yet.
    case getFeature(id: UInt8 = 0)
    /// HID: write an output report.
    case output([UInt8], id: UInt8 = 0)
    /// A serial line: write these bytes.
    case write([UInt8])
    /// Audio: a tone, a burst, or the volume.
    case sound(SoundCommand)
}

/// What a driver found out about its reader, in the order in which it happened.
///
/// Its large values are `indirect`: copies of them from one stage to the next took a sixth of the way from a report to its line.
package enum ReaderSignal: Sendable, Hashable, NoticeCarrying {
    /// Model, serial number or encryption became known or changed.
    indirect case identified(ReaderDetails)
    case activated(ActivationResult)
    /// As `activated`, for a result other than success that words explain to an operator.
    case activationFailed(ActivationResult, why: String)
    case deactivated
    /// It fell silent, or its power failed: deactivated, and nobody had asked for that.
    case lost
    /// Swipes are accepted, for this long or without an end.
    case ready(expiresIn: Duration?)
    case unready(UnreadyReason)
    /// The head sees magnetic activity.
    case swipeStarted
    indirect case swiped(Swipe)
    /// Something that changes nothing of the reader's state.
    case notice(ReaderNotice)
    /// The answer to ``ReaderDriver/property(_:)``: one for each request, sooner or later.
    indirect case property(PropertyReply)
    /// Show this to people; one that was open before is closed first.
    indirect case promptShown(ReaderPrompt)
    case promptClosed(id: Int, PromptClosure)
    /// The answer to ``ReaderRequest/testCommunication``; `why` explains a test that could not be made.
    case testCompleted(Bool, why: String?)
    /// What is on the jack is looked for. What the driver signals of power and readiness until the search is complete
    /// changes the reader's state and is said to nobody.
    case autodetectStarted
    case autodetectCompleted(AutodetectResult)
}

/// How an attempt to power up a reader ended.
package enum ActivationResult: String, Sendable, Hashable {
    case success, timeout, declined, failed, cancelled
    case volumeTooLow = "volume_too_low"
    /// It could not be opened, or is not to be: nothing was said to it, so no protocol is broken. To clients it failed.
    case unopened
}

/// Why a reader stopped accepting swipes.
package enum UnreadyReason: String, Sendable, Hashable {
    case refreshing, timeout, swiped, cancelled, disconnected, deactivated, error, suspended
}

/// What is known of a reader beyond its identity.
package struct ReaderDetails: Sendable, Hashable {
    package var model: String
    package var serial: String?
    package var firmware: String?
    package var encryption: EncryptionState
    /// The maker's security level, where the reader told it: 2 clear, 3 encrypted, 4 encrypted after authentication.
    package var securityLevel: Int?

    package init(
        model: String, serial: String? = nil, firmware: String? = nil, encryption: EncryptionState = .unknown,
        securityLevel: Int? = nil
    ) {
        self.securityLevel = securityLevel
        self.model = model
        self.serial = serial
        self.firmware = firmware
        self.encryption = encryption
    }
}

/// Whether a reader encrypts, in the words that clients see.
package enum EncryptionState: String, Sendable, Hashable {
    case unknown, clear, encrypted
    case keyExhausted = "key_exhausted"
    case noKey = "no_key"
}
