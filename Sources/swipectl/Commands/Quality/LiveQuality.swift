import CardData
import Glibc
import StripeSignal
import SwipeClient
import SwipeProtocol

/// `swipectl quality --live`: the swipes of one reader as they come, without anything of what they hold.
actor LiveQuality {
    let client: SwipeClient
    let reader: String
    let json: Bool
    /// Ends after so many.
    let count: Int?
    private var judgements: [Judgement] = []

    init(client: SwipeClient, reader: String, json: Bool, count: Int?) {
        self.client = client
        self.reader = reader
        self.json = json
        self.count = count
    }

    /// What the swipes so far speak for together; nil where none came.
    var judgement: Judgement? { judgements.isEmpty ? nil : Judgement(judgements) }

    func run() async throws {
        let stream = client.events([.swipe], readers: [reader])
        if !json, !LiveRow.isNarrow { try Output.result(LiveRow.header(.forStandardOutput())) }
        var shown = 0
        while shown != count {
            guard let event = try await stream.nextArrival()?.event else { break }
            guard case .swipe(let swipe) = event.body else { continue }
            let row = LiveRow(swipe, at: event.time)
            shown += 1
            judgements.append(row.judgement)
            if judgements.count > Self.judged { judgements.removeFirst() }
            try json ? Output.line(row) : Output.result(row.text(.forStandardOutput()))
        }
    }

    /// A reader is watched for days: the last ones are judged.
    private static let judged = 1_000
}

/// One swipe, as a row of a table or a line of JSON.
struct LiveRow: JSONEncodable {
    private static let columns = [
        ("TIME", 8), ("cm/s", 5), ("SNR dB", 6), ("JITTER %", 8), ("CLIPPED %", 9), ("DIRECTION", 9),
    ]

    /// Whether a row has no room in the window, with the results of two tracks.
    static var isNarrow: Bool { OutputWindow.columns.map { $0 < narrow } ?? false }
    private static let narrow = 80

    private let time: WallTime
    private let tracks: [(track: Int, status: TrackStatus)]
    private let quality: SwipeQuality
    let judgement: Judgement

    init(_ swipe: SwipeData, at time: WallTime) {
        self.time = time
        tracks = swipe.tracks.map { ($0.track, $0.status) }
        quality = swipe.quality
        judgement = Judgement(swipe.quality, isRead: tracks.contains { $0.status == .ok })
    }

    static func header(_ style: Style) -> String {
        let names = columns.map { $0.0.padded(to: $0.1) } + ["TRACKS"]
        return style.paint(names.joined(separator: "  "), .faint) + "\n"
    }

    func text(_ style: Style) -> String {
        let words = [
            String(EventPresentation.localTime(time).prefix(8)), Self.word(quality.speed),
            Self.word(quality.signalToNoiseDecibels), Self.word(quality.jitterPercent),
            Self.word(quality.clippedPercent), quality.direction?.rawValue ?? "-",
        ]
        let told = tracks.map { "\($0.track) \($0.status.rawValue)" }.joined(separator: ", ")
        let isRead = tracks.contains { $0.status == .ok }
        let end = told.isEmpty ? "none found" : told
        guard !Self.isNarrow else {
            var table = Table(header: Self.columns.map(\.0) + ["TRACKS"])
            table.append(words.map { Table.Cell($0) } + [Table.Cell(end, isRead ? .good : .bad)])
            return table.text(style, within: 0)
        }
        let cells = zip(words, Self.columns).map { $0.padded(to: $1.1) }
        return (cells + [style.paint(end.printable, isRead ? .good : .bad)]).joined(separator: "  ") + "\n"
    }

    /// To a tenth.
    private static func word(_ value: Double?) -> String {
        value.flatMap { Int(exactly: ($0 * 10).rounded()) }.map { "\(Double($0) / 10)" } ?? "-"
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("time", time)
        writer.name("tracks")
        writer.beginArray()
        for track in tracks {
            writer.beginObject()
            writer.field("track", track.track)
            writer.field("status", track.status.rawValue)
            writer.endObject()
        }
        writer.endArray()
        writer.field("quality", quality)
        judgement.write(to: &writer)
        writer.endObject()
    }
}
