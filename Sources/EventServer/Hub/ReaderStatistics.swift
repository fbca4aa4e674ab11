package import SwipeProtocol

/// What is counted of one reader, under the names of UnifiedPOS (UPOS 1.16, MSR device statistics), since the daemon
/// started.
package struct ReaderStatistics: Sendable {
    /// The tracks that UnifiedPOS counts by name.
    package static let tracks = 1...3

    package var goodReads: UInt64 = 0
    package var failedReads: UInt64 = 0
    package var unreadableCards: UInt64 = 0
    package var untaken: UInt64 = 0
    package var communicationErrors: UInt64 = 0
    package var repaired: UInt64 = 0
    /// How often sound was lost.
    package var overruns: UInt64 = 0
    /// Swipes whose sound was cut off so far that the gain should be lowered.
    package var clipped: UInt64 = 0
    package var missingStartSentinel = [UInt64](repeating: 0, count: ReaderStatistics.tracks.count)
    package var parityOrLRC = [UInt64](repeating: 0, count: ReaderStatistics.tracks.count)
    /// Every status of a track, counted.
    package var statuses: [TrackStatus: UInt64] = [:]
    private var poweredSince: UInt64?
    private var poweredNanoseconds: UInt64 = 0

    /// Takes in a swipe. What it looks at is the same in every view.
    mutating func count(_ swipe: SwipeData) {
        var (isReadable, hasFailed) = (false, false)
        for track in swipe.tracks {
            statuses[track.status, default: 0] += 1
            switch track.status {
            case .ok, .repaired: isReadable = true
            case .empty: break
            case _: hasFailed = true
            }
            guard ReaderStatistics.tracks.contains(track.track) else { continue }
            let index = track.track - ReaderStatistics.tracks.lowerBound
            switch track.status {
            case .noStartSentinel: missingStartSentinel[index] += 1
            case .parity, .lrc: parityOrLRC[index] += 1
            case .repaired: repaired += 1
            case .ok, .empty, .noEndSentinel, .tooLong, .tooShort, .ambiguous, .malformed: break
            }
        }
        if isReadable && !hasFailed { goodReads += 1 } else { failedReads += 1 }
        if !isReadable { unreadableCards += 1 }
        if swipe.isClipped { clipped += 1 }
    }

    mutating func follow(_ state: ReaderState, at now: UInt64) {
        switch state {
        case .active, .ready, .reading, .autodetecting: poweredSince = poweredSince ?? now
        case .connected, .activating, .suspended, .failed, .unsupported: powerOff(at: now)
        }
    }

    mutating func powerOff(at now: UInt64) {
        if let since = poweredSince { poweredNanoseconds &+= now > since ? now - since : 0 }
        poweredSince = nil
    }

    /// How long it has been powered up by then, in nanoseconds of CLOCK_MONOTONIC.
    package func powered(at now: UInt64) -> UInt64 {
        poweredNanoseconds &+ (poweredSince.map { now > $0 ? now - $0 : 0 } ?? 0)
    }

    /// What was counted by then.
    package func value(of counter: ReaderCounter, at now: UInt64) -> UInt64 {
        switch counter {
        case .hoursPowered: powered(at: now) / 3_600_000_000_000
        case .communicationErrors: communicationErrors
        case .goodReads: goodReads
        case .failedReads: failedReads
        case .unreadableCards: unreadableCards
        case .missingStartSentinel1: missingStartSentinel[0]
        case .missingStartSentinel2: missingStartSentinel[1]
        case .missingStartSentinel3: missingStartSentinel[2]
        case .parityOrLRC1: parityOrLRC[0]
        case .parityOrLRC2: parityOrLRC[1]
        case .parityOrLRC3: parityOrLRC[2]
        case .poweredSeconds: powered(at: now) / 1_000_000_000
        case .repairedTracks: repaired
        case .untakenSwipes: untaken
        case .overruns: overruns
        case .clippedSwipes: clipped
        }
    }

    package func write(to writer: inout JSONWriter, at now: UInt64) {
        ReaderFigures(tracks: statuses) { value(of: $0, at: now) }.write(to: &writer)
    }
}
