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
}
