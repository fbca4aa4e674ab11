/// What whoever holds the claim may ask of a reader.
package enum ReaderRequest: Sendable, Hashable {
    /// Power it up; the result comes as ``ReaderSignal/activated(_:)``.
    case activate
    /// Stop powering it up; ends with the result `cancelled`.
    case cancelActivation
    case deactivate
    /// Accept one swipe for this long; nil takes the time of the options.
    case requestSwipe(timeout: Duration? = nil)
    case cancelSwipe
    /// Find out whether the reader is there at all; the result comes as ``ReaderSignal/testCompleted(_:why:)``.
    case testCommunication
    case answerPrompt(id: Int, PromptAnswer)
    /// Behave like this from now on.
    case configure(ReaderOptions)
}

/// What became of a request at once. What it sets going is told by signals.
package enum RequestOutcome: Sendable, Hashable {
    /// `warning` is something to tell whoever asked, in words.
    case accepted(warning: String? = nil)
    case refused(RequestRefusal)
}

/// Why a request was not accepted: a code for programs, a sentence for people.
package struct RequestRefusal: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// This kind of reader knows no such thing.
        case notApplicable = "not_applicable"
        /// Not now: the reader is in another state.
        case wrongState = "wrong_state"
        /// Not before the reader is powered up.
        case notPowered = "not_powered"
        /// The reader does it of itself, by its configuration.
        case automatic
        /// What was asked for is going on already.
        case busy
        case outOfRange = "out_of_range"
        /// No such prompt is open.
        case noSuchPrompt = "no_such_prompt"
        /// The reader is gone, or the device failed.
        case gone
    }

    package var code: Code
    package var reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// What a reader answers that needs no power from us and no request for a swipe.
    package static func alwaysReady(_ kind: String) -> RequestRefusal {
        RequestRefusal(
            .notApplicable,
            "a reader of kind \(kind) is active and accepts swipes from when it is plugged in; it does not have this request"
        )
    }

    /// Names the value and the range that it left.
    package static func outOfRange(_ name: String, _ value: Int, _ range: ClosedRange<Int>) -> RequestRefusal
    {
        RequestRefusal(
            .outOfRange, "\(name) is \(value); allowed are \(range.lowerBound) to \(range.upperBound) seconds"
        )
    }
}
