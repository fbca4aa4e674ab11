import Glibc
import SwipeProtocol

/// An event as one readable line: time, reader, event, what it says.
struct EventPresentation {
    let style: Style
    /// Reader ids are padded to this width: most are shorter.
    private static let readerWidth = 18
    private static let eventWidth = 11

    func line(_ event: Event) -> String {
        let (color, words) = describe(event)
        let name = event.sequence == nil && event.body.kind == .connect ? "present" : event.name
        let parts = [
            style.paint(Self.localTime(event.time), .faint),
            (event.reader ?? "daemon").printable.padded(to: Self.readerWidth),
            style.paint(name.printable.padded(to: Self.eventWidth), color),
            words.printable,
        ]
        let text = parts.joined(separator: "  ")
        return (words.isEmpty ? String(text.reversed().drop { $0 == " " }.reversed()) : text) + "\n"
    }

    /// Hours, minutes, seconds and milliseconds where the user is.
    static func localTime(_ time: WallTime) -> String {
        var seconds = time_t(time.microseconds / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let milliseconds = Int32(time.microseconds / 1_000 % 1_000)
        return "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
            + ".\(digits(milliseconds, 3))"
    }

    private static func digits(_ value: Int32, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private func describe(_ event: Event) -> (Style.Color, String) {
        switch event.body {
        case .connect(let reader), .update(let reader): (.notable, describe(reader))
        case .activate(let outcome, let why):
            (outcome == .success ? .notable : .bad, words(outcome.rawValue, why))
        case .ready(let expiry): (.good, expiry.map { "until \(Self.localTime($0))" } ?? "swipe a card")
        case .swipeStart: (.notable, "a card is passing")
        case .swipe(let swipe):
            (swipe.tracks.contains { $0.status == .ok } ? .good : .bad, SwipeSummary.text(swipe))
        case .testComplete(let answered, let why):
            (answered ? .good : .bad, words(answered ? "answered" : "no answer", why))
        case .prompt(let prompt): (.notable, "\(prompt.text) [\(prompt.answers.joined(separator: "/"))]")
        case .promptClosed(_, let end, let answer): (.notable, words(end.rawValue, answer))
        case .claimRequested(let claimant, _): (.notable, "by uid \(claimant.uid), pid \(claimant.pid)")
        case .claimReleased(let end, let holder): (.notable, "\(words(end.rawValue)): uid \(holder.uid)")
        case .swipeUntaken(let reason, _): (.bad, words(reason.rawValue))
        case .gap(let from, let to, let reason): (.bad, describe(from, to, reason))
        case .bye(let code): (.bad, words(code.rawValue))
        case .unknown: (.notable, "")
        // Whatever else happens to a reader says itself.
        default: (.notable, memberWords(event.body))
        }
    }

    private func describe(_ reader: ReaderInfo) -> String {
        let serial = reader.serial.map { ", serial \($0)" } ?? ""
        let mark = reader.isSimulated ? ", simulated" : ""
        return
            "\(reader.model), \(reader.bus.rawValue)\(serial), encryption \(reader.encryption.words)\(mark)"
    }

    /// The members of an event that needs no sentence of its own: a word for programs, then words for people; figures and flags with
    /// their names.
    private func memberWords(_ body: EventBody) -> String {
        var writer = JSONWriter()
        body.write(to: &writer)
        let line = writer.finish().withBytes { Array($0) }
        guard let members = try? JSONReader.value(of: line).object?.members else { return "" }
        return members.enumerated().compactMap { index, member -> String? in
            let name = words(member.name)
            return switch member.value {
            case .string(let text): index == 0 ? words(text) : text
            case .integer(let count): "\(name) \(count)"
            case .bool(let holds): holds ? name : "not \(name)"
            case .null, .number, .array, .object: nil
            }
        }.joined(separator: ": ")
    }

    private func describe(_ from: UInt64, _ to: UInt64, _ reason: GapReason) -> String {
        let range = to == 0 ? "events may be missing" : "events \(from) to \(to) are missing"
        return "\(range): \(words(reason.rawValue))"
    }

    private func words(_ name: String, _ why: String? = nil) -> String {
        let text = String(name.map { $0 == "_" ? " " : $0 })
        return why.map { "\(text): \($0)" } ?? text
    }
}
