/// What `stats` counts of the server, by its names on the wire.
package enum ServerCounter: String, Sendable, CaseIterable {
    case connectionsOpen = "connections_open"
    case connectionsLimit = "connections_limit"
    case descriptorsLimit = "descriptors_limit"
    case connectionsAccepted = "connections_accepted"
    case connectionsRefused = "connections_refused"
    case slowClients = "slow_clients"
    case requests
    case linesRefused = "lines_refused"
    case eventsPublished = "events_published"
    case eventsDelivered = "events_delivered"
    case eventsCoalesced = "events_coalesced"
}

/// What `stats` counts of a reader, by its names on the wire: those in capitals are UnifiedPOS's (UPOS 1.16, MSR device
/// statistics).
package enum ReaderCounter: String, Sendable, CaseIterable {
    case hoursPowered = "HoursPoweredCount"
    case communicationErrors = "CommunicationErrorCount"
    case goodReads = "GoodReadCount"
    case failedReads = "FailedReadCount"
    case unreadableCards = "UnreadableCardCount"
    case missingStartSentinel1 = "MissingStartSentinelTrack1Count"
    case parityOrLRC1 = "ParityLRCErrorTrack1Count"
    case missingStartSentinel2 = "MissingStartSentinelTrack2Count"
    case parityOrLRC2 = "ParityLRCErrorTrack2Count"
    case missingStartSentinel3 = "MissingStartSentinelTrack3Count"
    case parityOrLRC3 = "ParityLRCErrorTrack3Count"
    case poweredSeconds = "powered_s"
    case repairedTracks = "repaired_tracks"
    case untakenSwipes = "untaken_swipes"
    case overruns
    case clippedSwipes = "clipped_swipes"
}

/// What is counted of the server, as `stats` says it.
package struct ServerFigures: WireMembers {
    static var blank: ServerFigures { ServerFigures(isMemoryLocked: false) { _ in 0 } }
    private let value: (ServerCounter) -> UInt64
    private var isMemoryLocked: Bool

    package init(isMemoryLocked: Bool, value: @escaping (ServerCounter) -> UInt64) {
        self.value = value
        self.isMemoryLocked = isMemoryLocked
    }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        for counter in ServerCounter.allCases { try fields.count(counter.rawValue, value(counter)) }
        try fields.required("memory_locked", &isMemoryLocked)
    }
}

/// What is counted of a reader, as `stats` says it.
package struct ReaderFigures: WireMembers {
    static var blank: ReaderFigures { ReaderFigures(tracks: [:]) { _ in 0 } }
    private let value: (ReaderCounter) -> UInt64
    private var tracks: TrackCounts

    package init(tracks: [TrackStatus: UInt64], value: @escaping (ReaderCounter) -> UInt64) {
        self.value = value
        self.tracks = TrackCounts(statuses: tracks)
    }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        for counter in ReaderCounter.allCases { try fields.count(counter.rawValue, value(counter)) }
        try fields.within("tracks", &tracks)
    }
}

/// Each status of a track, counted.
private struct TrackCounts: WireMembers {
    let statuses: [TrackStatus: UInt64]

    func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        for status in TrackStatus.allCases { try fields.count(status.rawValue, statuses[status, default: 0]) }
    }
}
