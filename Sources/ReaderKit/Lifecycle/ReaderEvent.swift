/// What clients hear of a reader, in full. The daemon decides who hears how much.
///
/// Its large values are `indirect`: copies of them from one stage to the next took a sixth of the way from a report to its line.
package enum ReaderEvent: Sendable, Hashable, NoticeCarrying {
    indirect case connect(ReaderDetails)
    /// What is known of a connected reader became more.
    indirect case identified(ReaderDetails)
    /// `why` explains a result other than success, in words for an operator.
    case activate(ActivationResult, why: String?)
    case deactivate(DetachReason)
    case ready(expiresIn: Duration?)
    case unready(UnreadyReason)
    case swipeStarted
    indirect case swipe(Swipe)
    case disconnect(DetachReason)
    /// The state of the step holds; nothing of it changed.
    case notice(ReaderNotice)
    indirect case promptShown(ReaderPrompt)
    case promptClosed(id: Int, PromptClosure)
    case testCompleted(Bool, why: String?)
    /// The first event of a reader whose kind is being looked for, in the place of `connect`.
    indirect case autodetectStarted(ReaderDetails)
    /// The state of the step holds; no event led to it.
    indirect case autodetectCompleted(AutodetectResult, ReaderDetails)
}

/// An event, and the state that the reader is in after it: what a snapshot taken between two events shows.
package struct ReaderStep: Sendable, Hashable {
    package var event: ReaderEvent
    package var state: ReaderState

    package init(_ event: ReaderEvent, _ state: ReaderState) {
        self.event = event
        self.state = state
    }
}

/// Why a reader's power or attachment ended.
package enum DetachReason: String, Sendable, Hashable {
    /// It was pulled out.
    case unplugged
    /// It was powered down, by a client or by itself.
    case deactivated
    /// It stopped answering, or the kernel reported an error.
    case error
    /// It slept with the machine.
    case suspended
    /// The configuration no longer has it.
    case removed
    /// The daemon ends.
    case shutdown
}
