import NIOConcurrencyHelpers
import ReaderKit

/// Stands between one driver's run at a sound input and the clients: a driver that replaces another is not a new
/// attachment, and a search that ended changes what the reader is.
final class AudioVoice: Sendable {
    private struct State {
        /// The next `disconnect` is not one: another driver follows.
        var hasSuccessor = false
        /// How the search for the kind ended.
        var result: AutodetectResult?
    }

    /// Whether clients know of the reader: they received `connect`, or that its kind is looked for, and no `disconnect`
    /// since. One for all drivers of an input, whose runs follow one another: only what was published decides what a
    /// `connect` is, since a run may end before it has said anything.
    typealias Introduction = NIOLockedValueBox<Bool>

    private let state = NIOLockedValueBox(State())
    private let introduction: Introduction
    private let found: @Sendable (AutodetectResult) -> Void

    init(_ introduction: Introduction, found: @escaping @Sendable (AutodetectResult) -> Void) {
        self.introduction = introduction
        self.found = found
    }

    /// How the search for the kind ended; nil before that, and where none is made.
    var result: AutodetectResult? { state.withLockedValue { $0.result } }

    /// Another driver follows: the reader stays.
    func handOver() { state.withLockedValue { $0.hasSuccessor = true } }

    /// What clients receive; nil for what they do not.
    func edited(_ announcement: ReaderAnnouncement) -> ReaderAnnouncement? {
        let edited = state.withLockedValue { state in
            introduction.withLockedValue { Self.edit(announcement, &state, &$0) }
        }
        if case .autodetectCompleted(let result, _) = announcement.step.event { found(result) }
        return edited
    }

    private static func edit(
        _ announcement: ReaderAnnouncement, _ state: inout State, _ isIntroduced: inout Bool
    ) -> ReaderAnnouncement? {
        var announcement = announcement
        switch announcement.step.event {
        case .connect(let details):
            if isIntroduced { announcement.step.event = .identified(details) }
            isIntroduced = true
        case .autodetectStarted: isIntroduced = true
        case .autodetectCompleted(let result, _): state.result = result
        case .disconnect:
            if state.hasSuccessor { return nil }
            isIntroduced = false
        case .identified, .activate, .deactivate, .ready, .unready, .swipeStarted, .swipe, .notice,
            .promptShown, .promptClosed, .testCompleted:
            break
        }
        if let kind = state.result, kind != .fail { announcement.reader.kind = kind.rawValue }
        return announcement
    }
}
