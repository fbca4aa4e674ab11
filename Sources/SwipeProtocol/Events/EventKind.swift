/// The name of an event.
public enum EventKind: String, Sendable, Hashable, CaseIterable, WireWord {
    /// A reader was attached and recognised.
    case connect
    /// More became known of an attached reader: its encryption, its firmware.
    case update
    /// A reader is gone.
    case disconnect
    /// An attempt to power up a reader ended.
    case activate
    /// A reader was powered down.
    case deactivate
    /// A reader accepts swipes.
    case ready
    /// A reader stopped accepting swipes.
    case unready
    /// A reader's head sees magnetic activity.
    case swipeStart = "swipe_start"
    /// A card was swiped.
    case swipe
    /// The type of an audio reader is being found out.
    case autodetectStart = "autodetect_start"
    /// The search for the type ended.
    case autodetectComplete = "autodetect_complete"
    /// A reader answered a test of the communication, or did not.
    case testComplete = "test_complete"
    /// Somebody has to decide or to know something.
    case prompt
    /// A prompt is over.
    case promptClosed = "prompt_closed"
    /// Somebody wants a reader that another holds.
    case claimRequested = "claim_requested"
    /// A claim ended.
    case claimReleased = "claim_released"
    /// A swipe reached nobody.
    case swipeUntaken = "swipe_untaken"
    /// Events are missing here.
    case gap
    /// The last line of a connection.
    case bye

    /// What of a reader it tells the latest of; nil where no later event replaces it.
    ///
    /// Every event that a client can cause as often as it likes tells of something: claims, prompts and tests too. Else it
    /// could have every client cut off that reads more slowly than it asks.
    package var aspect: ReaderAspect? { traits.aspect }

    /// What is said of a kind once.
    struct Traits {
        let aspect: ReaderAspect?
        /// What reading an event of the kind starts from.
        let blank: @Sendable () -> EventBody

        init(_ aspect: ReaderAspect?, blank: @escaping @Sendable () -> EventBody) {
            self.aspect = aspect
            self.blank = blank
        }
    }

    var traits: Traits {
        switch self {
        case .connect: Traits(.presence) { .connect(.blank) }
        case .update: Traits(.details) { .update(.blank) }
        case .disconnect: Traits(.presence) { .disconnect(.unrecognized) }
        case .activate: Traits(.power) { .activate(.unrecognized) }
        case .deactivate: Traits(.power) { .deactivate(.unrecognized) }
        case .ready: Traits(.readiness) { .ready(expiresAt: nil) }
        case .unready: Traits(.readiness) { .unready(.unrecognized) }
        case .swipeStart: Traits(.readiness) { .swipeStart }
        case .swipe: Traits(nil) { .swipe(.blank) }
        case .autodetectStart: Traits(.type) { .autodetectStart }
        case .autodetectComplete: Traits(.type) { .autodetectComplete(.unrecognized) }
        case .testComplete: Traits(.test) { .testComplete(answered: false) }
        case .prompt: Traits(.prompt) { .prompt(.blank) }
        case .promptClosed: Traits(.prompt) { .promptClosed(id: "", .unrecognized) }
        case .claimRequested: Traits(.contention) { .claimRequested(by: .blank, deadline: .blank) }
        case .claimReleased: Traits(.claim) { .claimReleased(.unrecognized, holder: .blank) }
        case .swipeUntaken: Traits(nil) { .swipeUntaken(.unrecognized, swipe: 0) }
        case .gap: Traits(nil) { .gap(from: 0, to: 0, .unrecognized) }
        case .bye: Traits(nil) { .bye(.unrecognized) }
        }
    }

    /// Whether it only tells of a state that a later event replaces, so that it may be kept for `since`.
    public var isState: Bool { aspect?.isKept ?? false }

    /// Whether it belongs to one connection only: it has no `seq` and needs no subscription.
    public var isOfConnection: Bool { self == .gap || self == .bye }
}

/// One thing about a reader of which only the latest news matters.
package enum ReaderAspect: Sendable, Hashable {
    case presence, details, power, readiness, type, test, prompt, contention, claim

    /// Whether its news are the reader's own, and are kept for who comes back.
    var isKept: Bool {
        switch self {
        case .presence, .details, .power, .readiness, .type, .test: true
        case .prompt, .contention, .claim: false
        }
    }
}

/// A set of event names, as a subscription asks for them.
public struct EventKinds: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    public var rawValue: UInt32

    /// A set of bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The set with one kind.
    public init(_ kind: EventKind) {
        rawValue = 0
        for (bit, candidate) in EventKind.allCases.enumerated() where candidate == kind {
            rawValue = 1 << bit
        }
    }

    /// The set of some kinds.
    public init(_ kinds: some Sequence<EventKind>) {
        self = kinds.reduce(into: []) { $0.formUnion(EventKinds($1)) }
    }

    /// Every kind.
    public static let all = EventKinds(EventKind.allCases)

    /// The kinds in it, in the order of the page.
    public var kinds: [EventKind] { EventKind.allCases.filter { contains(EventKinds($0)) } }
}
