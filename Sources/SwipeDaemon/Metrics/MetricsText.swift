import EventServer
import ServiceSupport
import SwipeProtocol

/// The counters as Prometheus reads them: its text format, version 0.0.4, one family after the other.
///
/// Nothing of a card is in it: it is made from what is counted, and readers' names, models and states.
struct MetricsText {
    private typealias Kind = PrometheusText.Kind

    var text: String { samples.text }
    private var samples = PrometheusText()

    init(_ report: ServerReport, version: String, startedAt: Double) {
        one("swiped_build_info", .gauge, "The daemon's version.", [("version", version)], 1)
        one("swiped_start_time_seconds", .gauge, "When the daemon started, in Unix time.", [], startedAt)
        server(report.statistics, lastEvent: report.sequence)
        for reader in report.readers.compactMap(\.info) {
            let labels = [
                ("reader", reader.id), ("kind", reader.kind), ("model", reader.model),
                ("bus", reader.bus.rawValue),
                ("encryption", reader.encryption.rawValue), ("simulated", reader.isSimulated ? "yes" : "no"),
            ]
            one("swiped_reader_info", .gauge, "A reader that is attached.", labels, 1)
        }
        family("swiped_reader_state", .gauge, "1 for the state that a reader is in.", report) { reader in
            guard let state = reader.info?.state else { return [] }
            return ReaderState.allCases.map { ([("state", $0.rawValue)], $0 == state ? 1 : 0) }
        }
        family("swiped_reader_claimed", .gauge, "Whether a client has claimed it.", report) { reader in
            reader.info == nil ? [] : [([], reader.isClaimed ? 1 : 0)]
        }
        swipes(report)
    }

    private mutating func server(_ counts: ServerStatistics, lastEvent: UInt64) {
        one("swiped_clients", .gauge, "Clients that are connected.", [], Double(counts.connectionsOpen))
        one(
            "swiped_clients_limit", .gauge, "How many clients there may be.", [],
            Double(counts.connectionsLimit))
        one(
            "swiped_descriptors_limit", .gauge, "How many descriptors the daemon may have.", [],
            Double(counts.descriptorsLimit))
        let counters: [(String, String, UInt64)] = [
            ("clients_accepted", "Clients that were let in.", counts.connectionsAccepted),
            ("clients_refused", "Clients that were refused.", counts.connectionsRefused),
            ("clients_slow", "Clients that were cut off because they did not read.", counts.slowClients),
            ("requests", "Requests that were accepted.", counts.requests),
            ("lines_refused", "Lines from clients that were no requests.", counts.linesRefused),
            ("events_published", "Events that happened.", counts.eventsPublished),
            ("events_delivered", "Events that were given to clients.", counts.eventsDelivered),
            ("events_coalesced", "Events that were left out for slow clients.", counts.eventsCoalesced),
        ]
        for (name, help, value) in counters { one("swiped_\(name)_total", .counter, help, [], Double(value)) }
        one(
            "swiped_memory_locked", .gauge, "Whether card data is in memory that is never swapped out.", [],
            counts.memoryIsLocked ? 1 : 0)
        one("swiped_last_event", .gauge, "The number (seq) of the last event.", [], Double(lastEvent))
    }

    private mutating func swipes(_ report: ServerReport) {
        let now = report.at
        family("swiped_swipes_total", .counter, "Swipes, by how they were read.", report) {
            [
                ([("result", "good")], Double($0.counts.goodReads)),
                ([("result", "failed")], Double($0.counts.failedReads)),
            ]
        }
        family("swiped_swipes_unreadable_total", .counter, "Swipes of which no track was read.", report) {
            [([], Double($0.counts.unreadableCards))]
        }
        family(
            "swiped_swipes_untaken_total", .counter,
            "Undelivered swipes: no client that may see cards got their line.", report
        ) {
            [([], Double($0.counts.untaken))]
        }
        family(
            "swiped_swipes_clipped_total", .counter,
            "Swipes of which the sound input cut off so much that its gain is too high.", report
        ) {
            [([], Double($0.counts.clipped))]
        }
        family("swiped_tracks_total", .counter, "Tracks, by how they were read.", report) { reader in
            TrackStatus.allCases.map {
                ([("status", $0.rawValue)], Double(reader.counts.statuses[$0, default: 0]))
            }
        }
        family("swiped_track_missing_start_sentinel_total", .counter, "By track.", report) {
            MetricsText.byTrack($0.counts.missingStartSentinel)
        }
        family("swiped_track_parity_lrc_errors_total", .counter, "By track.", report) {
            MetricsText.byTrack($0.counts.parityOrLRC)
        }
        family("swiped_reader_communication_errors_total", .counter, "Broken or missing answers.", report) {
            [([], Double($0.counts.communicationErrors))]
        }
        family("swiped_reader_overruns_total", .counter, "Sound that was lost.", report) {
            [([], Double($0.counts.overruns))]
        }
        family("swiped_reader_powered_seconds_total", .counter, "Time powered up.", report) {
            [([], Double($0.counts.powered(at: now)) / 1e9)]
        }
    }

    private static func byTrack(_ counts: [UInt64]) -> [([(String, String)], Double)] {
        zip(ReaderStatistics.tracks, counts).map { ([("track", "\($0)")], Double($1)) }
    }

    // MARK: The format

    private typealias Samples = [([(String, String)], Double)]

    /// A family with samples of every reader that is there or was.
    private mutating func family(
        _ name: String, _ kind: Kind, _ help: String, _ report: ServerReport,
        _ samples: (ServerReport.Reader) -> Samples
    ) {
        for reader in report.readers {
            for (labels, value) in samples(reader) {
                self.samples.add(name, kind, help, [("reader", reader.id)] + labels, value)
            }
        }
    }

    private mutating func one(
        _ name: String, _ kind: Kind, _ help: String, _ labels: [(String, String)], _ value: Double
    ) { samples.add(name, kind, help, labels, value) }
}
