import NIOConcurrencyHelpers
import ReaderKit

/// Stands between one driver's run at a sound input and the clients: a driver that takes another's place is no new
/// attachment, and a search that ended changes what the reader is.
final class AudioVoice: Sendable {
    private struct State {
        /// The next `connect` is not one: the reader was there already, with another driver.
        var isSuccessor: Bool
        /// The next `disconnect` is not one: another driver takes over.
        var hasSuccessor = false
        var kind: String?
    }

    private let state: NIOLockedValueBox<State>
    private let found: @Sendable (AutodetectResult) -> Void

    init(isSuccessor: Bool, found: @escaping @Sendable (AutodetectResult) -> Void) {
        state = NIOLockedValueBox(State(isSuccessor: isSuccessor))
        self.found = found
    }

    /// Another driver takes over: the reader stays.
    func handOver() { state.withLockedValue { $0.hasSuccessor = true } }

    /// What clients hear; nil for what they do not.
    func edited(_ announcement: ReaderAnnouncement) -> ReaderAnnouncement? {
        let edited = state.withLockedValue { Self.edit(announcement, &$0) }
        if case .autodetectCompleted(let result, _) = announcement.step.event { found(result) }
        return edited
    }

    private static func edit(_ announcement: ReaderAnnouncement, _ state: inout State) -> ReaderAnnouncement?
    {
        var announcement = announcement
        switch announcement.step.event {
        case .connect(let details) where state.isSuccessor:
            state.isSuccessor = false
            announcement.step.event = .identified(details)
        case .autodetectStarted: state.isSuccessor = false
        case .autodetectCompleted(let result, _) where result != .fail: state.kind = result.rawValue
        case .disconnect where state.hasSuccessor: return nil
        case .connect, .identified, .activate, .deactivate, .ready, .unready, .swipeStarted, .swipe,
            .disconnect,
            .malformed, .overrun, .promptShown, .promptClosed, .testCompleted, .autodetectCompleted:
            break
        }
        if let kind = state.kind { announcement.reader.kind = kind }
        return announcement
    }
}
