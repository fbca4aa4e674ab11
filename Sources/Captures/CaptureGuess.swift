import HIDReaders
import ReaderKit
import ReaderPackets

/// Finds the form in which a capture says most. Many texts can be read in several: `00 11 22` is hex and maybe decimal.
/// What tells them apart is what they hold, which passes all checks of a report, or does not.
struct CaptureGuess: Sendable {
    var models: Set<HIDCapture.Model>
    /// What stands between the fields of a text stream, where somebody says so.
    var separator: UInt8?

    /// Forms that nothing else looks like.
    private static let plainForms: Set<CaptureForm> = [
        .bytes, .packetCapture, .recording, .usbTrace, .dump, .hex,
    ]

    private struct Candidate {
        var form: CaptureForm
        var outcomes: [HIDCapture.Outcome]

        /// Swipes count, and tracks that were read count more. One swipe without a track is little, several are noise.
        var score: Int {
            let unread = outcomes.count { outcome in
                if case .success(let found) = outcome { found.swipe.readTracks == 0 } else { false }
            }
            return outcomes.reduce(unread > 0 ? 2 - unread : 0) { sum, outcome in
                switch outcome {
                case .failure: sum - 5
                case .success(let found):
                    sum + (found.swipe.readTracks > 0 ? 8 + 4 * found.swipe.readTracks : 0)
                }
            }
        }

        var swipes: Int { outcomes.count { if case .success = $0 { true } else { false } } }

        /// Nothing is left to wish for: no other form needs to be tried.
        var isWhole: Bool { outcomes.allSatisfy(\.isWhole) }

        /// Some part has a frame of which the check bytes stand where they are due, and something else is wrong.
        var isFramed: Bool {
            outcomes.contains { outcome in
                guard case .failure(.malformed(let model, let reason)) = outcome else { return false }
                let isPacket = model == .idTechPacket || model == .idTechKeyboard
                return isPacket && !Self.unframed.contains(reason)
            }
        }

        /// What is also said of bytes that are no packet and merely begin like one.
        private static let unframed = Set(
            [IDTechPacket.Refusal.noStart, .truncated, .noEnd, .notHex].map(\.rawValue))

        /// Some part is in the form of a model, and wrong, or in that of two.
        var isMalformed: Bool {
            outcomes.contains { outcome in
                switch outcome {
                case .failure(.malformed), .failure(.twoLayouts): true
                case .failure, .success: false
                }
            }
        }
    }

    func reading(ofBytes bytes: [UInt8]) -> HIDCapture.Reading {
        guard let capture = PacketCapture(bytes) else {
            return best(
                [
                    Candidate(
                        form: .bytes,
                        outcomes: ByteCapture(models: models, separator: separator).outcomes(in: bytes))
                ],
                tried: [HIDCapture.Reading.Attempt(form: .bytes, bytes: bytes.count)])
        }
        let parts = [capture.reports, [capture.reports.flatMap(\.self)]].filter {
            $0.count != 1 || $0 != [[]]
        }
        let count = capture.reports.reduce(0) { $0 + $1.count }
        return best(
            parts.filter { !$0.isEmpty }.map { candidate(.packetCapture, $0) },
            tried: [HIDCapture.Reading.Attempt(form: .packetCapture, bytes: count)])
    }

    func reading(of forms: CaptureForms) -> HIDCapture.Reading {
        if let form = forms.unread {
            return HIDCapture.Reading(outcomes: [.failure(.notRead(form.sentence))])
        }
        let mixed = mixed(forms)
        let marks = TrackMarks.verdict(forms.text)
        var candidates: [Candidate] = []
        var tried: [HIDCapture.Reading.Attempt] = []
        for form in CaptureForm.ofText where form != .text {
            // What a text holds as it is needs no literals, and they would take a quote of the card's for an end.
            let readings = form == .literals && marks == .cards ? [] : forms.readings(form)
            tried.append(
                HIDCapture.Reading.Attempt(form: form, bytes: readings.first?.reduce(0) { $0 + $1.count }))
            for parts in readings {
                let candidate = candidate(form, parts)
                // What passes by lines that say something is not all.
                if let mixed, mixed.swipes >= candidate.swipes { continue }
                candidates.append(candidate)
                if candidate.isWhole {
                    let reading = HIDCapture.Reading(outcomes: candidate.outcomes, form: form)
                    return Self.unlessUnclear(reading, marks)
                }
            }
        }
        if let mixed { return HIDCapture.Reading(outcomes: mixed.outcomes, form: mixed.form) }
        tried.append(HIDCapture.Reading.Attempt(form: .text, bytes: forms.text.count))
        let stream = Candidate(
            form: .text,
            outcomes: StreamCapture(models: models, separator: separator).outcomes(in: forms.text))
        return Self.unlessUnclear(
            best(candidates + [stream], tried: tried, obstacle: forms.obstacle), marks)
    }

    /// A reading, unless it takes marks for the card's, or for a program's, that may be the other's.
    private static func unlessUnclear(
        _ reading: HIDCapture.Reading, _ marks: TrackMarks.Verdict?
    ) -> HIDCapture.Reading {
        switch marks {
        case .cards, .quoted, nil: return reading
        case .programs: guard reading.form == .text else { return reading }
        case .unclear: guard reading.form == .literals || reading.form == .text else { return reading }
        }
        let isRead = reading.outcomes.contains { if case .success = $0 { true } else { false } }
        guard isRead else { return reading }
        return HIDCapture.Reading(outcomes: [.failure(.twoTexts)], form: reading.form, tried: reading.tried)
    }

    /// Lines that a reader typed or sent, and bytes in any form between them: each run of lines by itself. Nil where a text has not
    /// both.
    private func mixed(_ forms: CaptureForms) -> Candidate? {
        let stream = StreamCapture(models: models, separator: separator)
        var runs: [(isStream: Bool, text: [UInt8])] = []
        for line in forms.text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let text = CaptureText.trimmed(line)
            let isStream =
                stream.isPlainly(text) || runs.last?.isStream == true && stream.isThirdTrack(text)
            if runs.last?.isStream != isStream { runs.append((isStream, [])) }
            runs[runs.count - 1].text += line
            runs[runs.count - 1].text.append(0x0A)
        }
        guard runs.count > 1, runs.count <= Self.mostRuns else { return nil }
        var outcomes: [HIDCapture.Outcome] = []
        var hasBytes = false
        for run in runs {
            let found =
                run.isStream ? stream.outcomes(in: run.text) : reading(of: CaptureForms(run.text)).outcomes
            let isFound = found.contains { if case .success = $0 { true } else { false } }
            hasBytes = hasBytes || !run.isStream && isFound
            // A title, a time.
            let isWords = !run.isStream && !isFound && run.text.count <= Self.mostWords
            outcomes += isWords ? [] : found
        }
        return hasBytes ? Candidate(form: .text, outcomes: outcomes) : nil
    }

    /// More swipes are in no file.
    private static let mostRuns = 1_000
    /// Fewer characters than any capture has.
    private static let mostWords = 64

    private func candidate(_ form: CaptureForm, _ parts: [[UInt8]]) -> Candidate {
        Candidate(form: form, outcomes: parts.flatMap(outcomes))
    }

    /// Bytes of text are text that somebody dumped: a stream, or what a reader typed.
    private func outcomes(in bytes: [UInt8]) -> [HIDCapture.Outcome] {
        guard CaptureText.isText(bytes) else {
            return ByteCapture(models: models, separator: separator).outcomes(in: bytes)
        }
        return StreamCapture(models: models, separator: separator).outcomes(in: bytes)
    }

    /// The candidate with most in it; where there is nothing in any, the one that says best what is wrong.
    private func best(
        _ candidates: [Candidate], tried: [HIDCapture.Reading.Attempt], obstacle: HIDCapture.Refusal? = nil
    ) -> HIDCapture.Reading {
        var best: Candidate?
        for candidate in candidates where candidate.swipes > 0 && candidate.score > (best?.score ?? .min) {
            best = candidate
        }
        if let best { return HIDCapture.Reading(outcomes: best.outcomes, form: best.form, tried: tried) }
        if let obstacle { return HIDCapture.Reading(outcomes: [.failure(obstacle)], tried: tried) }
        // Text in which somebody merely described a capture is no broken stream.
        let dumps = candidates.filter { Self.plainForms.contains($0.form) }
        let named =
            candidates.first(where: \.isFramed)
            ?? (dumps.isEmpty ? candidates : dumps).first(where: \.isMalformed)
        let outcomes = (named ?? dumps.first ?? candidates.first)?.outcomes ?? [.failure(.empty)]
        return HIDCapture.Reading(outcomes: outcomes, form: named?.form, tried: tried)
    }
}
