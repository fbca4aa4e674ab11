import CardData
import StripeSignal
import SwipeProtocol

/// The reports of a swipe's tracks, without anything of what they hold.
struct MeasuredSwipe: JSONEncodable {
    struct Track {
        var track: Int
        var status: String
        var direction: SwipeDirection?
        var report: CardReport
        var judgement: Judgement

        /// Read without a repair.
        var isRead: Bool { status == TrackStatus.ok.rawValue }
    }

    var file: String
    var index: Int
    var tracks: [Track]

    init(_ swipe: RecordedSwipe, _ formats: [StripeFormat], file: String, index: Int) {
        self.file = file
        self.index = index
        tracks = swipe.parts.flatMap { part in
            let report = CardReport(part, sampleRate: swipe.sampleRate, formats: formats)
            return part.tracks.map { reading in
                Track(
                    track: reading.track, status: reading.status, direction: part.quality.direction,
                    report: report, judgement: Judgement(report, isRead: reading.text != nil))
            }
        }
    }

    /// Of all tracks together, the first that is to blame.
    var judgement: Judgement {
        let judgements = tracks.map(\.judgement)
        return judgements.first { !$0.causes.isEmpty } ?? judgements.first ?? Judgement([Judgement]())
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("file", file)
        writer.field("swipe", index)
        writer.name("tracks")
        writer.beginArray()
        for track in tracks { write(track, &writer) }
        writer.endArray()
        judgement.write(to: &writer)
        writer.endObject()
    }

    private func write(_ track: Track, _ writer: inout JSONWriter) {
        let report = track.report
        writer.beginObject()
        writer.field("track", track.track)
        writer.field("status", track.status)
        writer.field("direction", orNull: track.direction?.rawValue)
        writer.field("cell_variation_percent", orNull: report.cells?.mean)
        writer.field("worst_cell_percent", orNull: report.cells?.worst)
        writer.field("half_cell_variation_percent", orNull: report.halfCells?.mean)
        writer.field("worst_half_cell_percent", orNull: report.halfCells?.worst)
        writer.field("level_db", orNull: report.level)
        writer.field("weakest_percent", orNull: report.weakest)
        writer.field("start_sentinel_mm", orNull: report.startSentinel)
        writer.field("speed_cm_s", orNull: report.speed?.mean)
        writer.field("slowest_cm_s", orNull: report.speed?.slowest)
        writer.field("fastest_cm_s", orNull: report.speed?.fastest)
        writer.field("clipped_percent", orNull: report.clipped)
        writer.field("snr_db", orNull: report.noise)
        writer.field("outline_percent", orNull: report.outline)
        writer.endObject()
    }
}

extension MeasuredSwipe {
    /// A row a track.
    static func table(_ swipes: [MeasuredSwipe]) -> Table {
        var table = Table(header: [
            "SWIPE", "TRACK", "RESULT", "CELLS %", "HALF %", "LEVEL dB", "WEAKEST %", "START mm",
            "SPEED cm/s",
            "CLIPPED %", "SNR dB",
        ])
        for swipe in swipes {
            for track in swipe.tracks {
                let report = track.report
                table.append([
                    Table.Cell("\(swipe.file):\(swipe.index)"), Table.Cell("\(track.track)"),
                    Table.Cell(track.status, track.isRead ? .good : .bad),
                    Table.Cell(words(report.cells)), Table.Cell(words(report.halfCells)),
                    Table.Cell(word(report.level)), Table.Cell(word(report.weakest)),
                    Table.Cell(word(report.startSentinel)), Table.Cell(words(report.speed)),
                    Table.Cell(word(report.clipped)), Table.Cell(word(report.noise)),
                ])
            }
        }
        return table
    }

    private static func word(_ value: Double?) -> String { value.map { "\($0)" } ?? "-" }

    private static func words(_ variation: CardReport.Variation?) -> String {
        variation.map { "\($0.mean) worst \($0.worst)" } ?? "-"
    }

    private static func words(_ speed: CardReport.Speed?) -> String {
        speed.map { "\($0.mean) (\($0.slowest)-\($0.fastest))" } ?? "-"
    }
}
