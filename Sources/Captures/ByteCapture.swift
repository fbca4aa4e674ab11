import CardData
import HIDReaders
import ReaderKit
import ReaderPackets

/// Swipes in captured bytes: reports of known sizes, with or without report id, one or several of them, and packets.
struct ByteCapture: Sendable {
    var models: Set<HIDCapture.Model>
    /// What stands between the fields of a text stream, where somebody says so.
    var separator: UInt8?

    /// A report's form: whose it is, how large, and whether its id was captured.
    private struct Form {
        var model: HIDCapture.Model
        var layout: MagTekLayout
        var hasID: Bool
        /// Filled up with zeros: only a report in which nothing is wrong is taken so.
        var isFilledUp = false
        var length: Int { layout.length + (hasID ? 1 : 0) }
        /// What people call it.
        var name: String {
            let insert = layout == .sureSwipeInsert ? " of an insert reader" : ""
            return "a report of \(layout.length) bytes\(insert)" + (hasID ? " with its id in front" : "")
        }
        /// A byte more than another report has.
        var isAmbiguous: Bool { hasID || isFilledUp || layout == .sureSwipeInsert }
    }

    func outcomes(in capture: [UInt8]) -> [HIDCapture.Outcome] {
        let bytes = PacketCapture.report(inPacket: capture) ?? capture
        if let packets = packets(in: bytes) { return packets }
        if let typed = KeyPresses.text(ofReports: bytes) {
            return StreamCapture(models: models, separator: separator).outcomes(in: typed)
        }
        // A report that is filled up may be as long as another with its id, in which nothing is right.
        let exact = reports(in: bytes)
        if let exact, exact.allSatisfy(\.isWhole) { return exact }
        if let reports = filledUp(bytes) ?? exact { return reports }
        if let whole = Self.withoutPacketIDs(bytes), let found = packets(in: whole) ?? filledUp(whole) {
            return found
        }
        if models.contains(.gen3), let message = gen3(bytes) { return message }
        if let refusal = packetRefusal(bytes) { return [.failure(refusal)] }
        return [.failure(sizeRefusal(bytes))]
    }

    // MARK: MagTek's reports

    private var forms: [Form] {
        let magneSafe = [MagTekLayout.magneSafe856, .magneSafe887, .magneSafe931].map {
            (HIDCapture.Model.magneSafe, $0)
        }
        let sureSwipe = [MagTekLayout.sureSwipe, .sureSwipeInsert].map { (HIDCapture.Model.sureSwipe, $0) }
        return (magneSafe + sureSwipe + [(.idTechCompatible, .sureSwipe)]).filter { models.contains($0.0) }
            .flatMap { model, layout in
                [false, true].map { Form(model: model, layout: layout, hasID: $0) }
            }
    }

    /// One report, or several of the same form one after the other. Where sizes leave a choice the likeliest is taken, and where
    /// two are as likely and say two things, none.
    private func reports(in bytes: [UInt8]) -> [HIDCapture.Outcome]? {
        let readings = forms.filter { !bytes.isEmpty && bytes.count.isMultiple(of: $0.length) }
            .compactMap { reading(bytes, $0) }
        guard let best = readings.max(by: { $0.isLessLikely(than: $1) }) else { return nil }
        let alike = readings.filter { !$0.isLessLikely(than: best) && $0.swipes != best.swipes }
        guard !best.swipes.isEmpty, !alike.isEmpty else { return best.outcomes }
        return [.failure(.twoLayouts(([best] + alike).map(\.sentence)))]
    }

    /// What a run of reports says where it is taken for one form.
    private struct Reading {
        var form: Form
        var outcomes: [HIDCapture.Outcome] = []
        /// What no report of this form says: a status of no known value, a track that was decoded and is no text, another layout's
        /// tracks.
        var contradictions = 0

        var swipes: [Swipe] { outcomes.compactMap { try? $0.get().swipe } }
        private var readTracks: Int { swipes.reduce(0) { $0 + $1.readTracks } }

        /// Tracks that read count most, for no other layout's bytes make one; then that nothing is contradicted; then that fewer
        /// reports take the same bytes.
        func isLessLikely(than other: Self) -> Bool {
            (readTracks, -contradictions, -outcomes.count)
                < (other.readTracks, -other.contradictions, -other.outcomes.count)
        }

        /// `a report with its id in front (track 1 refused, 2 refused, 3 empty)`
        var sentence: String {
            let swipes = swipes.map { swipe in
                swipe.tracks.map { "\($0.track) \($0.word)" }.joined(separator: ", ")
            }
            return "\(form.name) (track \(swipes.joined(separator: "; track ")))"
        }
    }

    /// What USB packets of interrupt endpoints hold at most: readers of old fill eight bytes, which is their default.
    private static let packetSizes = [8, 64]
    /// The largest of the buffers that programs read one report into.
    private static let bufferBytes = 4096

    /// Reports that are filled up with zeros: each to whole packets, or one of them to whatever a program had room for.
    private func filledUp(_ bytes: [UInt8]) -> [HIDCapture.Outcome]? {
        for form in forms.sorted(by: { $0.length < $1.length }) {
            let packets = Self.packetSizes.map { (form.length + $0 - 1) / $0 * $0 }
            let sizes = bytes.count <= Self.bufferBytes ? packets + [bytes.count] : packets
            for size in sizes where isFilling(form, upTo: size) && bytes.count.isMultiple(of: size) {
                let parts = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<($0 + size)] }
                guard parts.allSatisfy({ $0.dropFirst(form.length).allSatisfy { $0 == 0 } }) else { continue }
                var strict = form
                strict.isFilledUp = true
                let found = reading(parts.flatMap { $0.prefix(form.length) }, strict)?.outcomes ?? []
                if !found.isEmpty, found.allSatisfy(\.isWhole) { return found }
            }
        }
        return nil
    }

    /// Whether so many bytes are a filled up report rather than a longer one that was cut: newer MagneSafe reports begin as older
    /// ones, and go on with a counter that may be zeros.
    private func isFilling(_ form: Form, upTo size: Int) -> Bool {
        guard size > form.length else { return false }
        return !form.layout.isMagneSafe || size - form.length >= Self.leastFilling
            || size.isMultiple(of: Self.leastFilling)
    }

    private static let leastFilling = 8
    private static let packetBytes = 64

    /// Packets of 64 bytes without the id 0 that hidapi has in front of each; nil where they are none.
    private static func withoutPacketIDs(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > packetBytes + 1 else { return nil }
        let parts = stride(from: 0, to: bytes.count, by: packetBytes + 1).map {
            bytes[$0...].prefix(packetBytes + 1)
        }
        return parts.allSatisfy { $0.first == 0 } ? parts.flatMap { $0.dropFirst() } : nil
    }

    private func reading(_ bytes: [UInt8], _ form: Form) -> Reading? {
        var reading = Reading(form: form)
        for start in stride(from: 0, to: bytes.count, by: form.length) {
            let part = bytes[start..<(start + form.length)]
            // Ids that were captured are 0, from a hidapi call, or 1, from the EMV family.
            if form.hasID, let id = part.first, id > 1 { return nil }
            guard let report = try? MagTekReport(Array(part.suffix(form.layout.length)), layout: form.layout)
            else {
                return nil
            }
            do throws(MagTekReport.Refusal) {
                let swipe = try report.checkedSwipe()
                // Where sizes leave a choice, a byte of no known value is none of a report's: it stands before or behind one.
                guard report.isPlausible || !form.isAmbiguous else { throw .unknownStatus }
                reading.contradictions += report.contradictions(swipe) + (report.isPlausible ? 0 : 1)
                reading.outcomes.append(
                    .success(HIDCapture.Found(model: form.model, swipe: swipe, serial: report.serial)))
            } catch {
                reading.contradictions += Self.brokenReport
                reading.outcomes.append(.failure(.malformed(form.model, error.sentence)))
            }
        }
        return reading
    }

    /// A report that is none of its form contradicts it more than its tracks could.
    private static let brokenReport = 4

    // MARK: ID TECH's reports and packets

    /// Packets one after the other, or HID reports that hold one each. Nil where there is none that is whole.
    private func packets(in bytes: [UInt8]) -> [HIDCapture.Outcome]? {
        if models.contains(.idTechPacket), bytes.first == IDTechFrame.start {
            var found: [HIDCapture.Outcome] = []
            var position = 0
            while position < bytes.count, bytes[position] == IDTechFrame.start,
                let frame = try? IDTechFrame.binary(bytes, at: position)
            {
                found.append(Self.outcome(frame, .idTechPacket))
                position = frame.endIndex
            }
            // Behind the last one only padding, or the line end of a serial channel.
            let isWhole = bytes[position...].allSatisfy { $0 == 0 || CaptureText.isSpace($0) }
            if !found.isEmpty, isWhole { return found }
        }
        if models.contains(.idTechPacket), let tagged = TaggedCapture.outcomes(in: bytes) { return tagged }
        guard models.contains(.idTechReport) else { return nil }
        for length in [bytes.count] + IDTechReport.knownLengths + IDTechReport.knownLengths.map({ $0 + 1 }) {
            guard length > IDTechReport.headerBytes, bytes.count.isMultiple(of: length) else { continue }
            let parts = stride(from: 0, to: bytes.count, by: length).map { Array(bytes[$0..<($0 + length)]) }
            let outcomes = parts.compactMap(Self.reportOutcome)
            if outcomes.count == parts.count { return outcomes }
        }
        return nil
    }

    /// A report with a whole packet, or with clear tracks in a report of a known size.
    private static func reportOutcome(_ report: [UInt8]) -> HIDCapture.Outcome? {
        let hasID = IDTechReport.knownLengths.contains(report.count - 1)
        let isKnown = hasID || IDTechReport.knownLengths.contains(report.count)
        if hasID, report[0] > 1 { return nil }
        let body = hasID ? Array(report.dropFirst()) : report
        guard let content = try? IDTechReport.parse(body) else { return nil }
        switch content {
        // What stands behind a packet is padding, or the capture is more than this report; a driver, which knows where a
        // report ends, does not look at it.
        case .packet(let packet, let end):
            let isWhole = !hasID && isKnown || body[end...].allSatisfy { $0 == 0 }
            return isWhole ? .success(found(packet, .idTechReport)) : nil
        case .clear(let swipe):
            return isKnown ? .success(HIDCapture.Found(model: .idTechReport, swipe: swipe)) : nil
        }
    }

    static func outcome(_ frame: IDTechFrame, _ model: HIDCapture.Model) -> HIDCapture.Outcome {
        do throws(IDTechPacket.Refusal) {
            return .success(found(try IDTechPacket(frame), model))
        } catch {
            return .failure(.malformed(model, error.rawValue))
        }
    }

    static func found(_ packet: IDTechPacket, _ model: HIDCapture.Model) -> HIDCapture.Found {
        HIDCapture.Found(model: model, swipe: packet.swipe(), serial: packet.serialNumber)
    }

    // MARK: iDynamo 5 Gen III

    /// Packets of 63 or 64 bytes, with or without their id, that make one message.
    private func gen3(_ bytes: [UInt8]) -> [HIDCapture.Outcome]? {
        for (length, skipped) in [(64, 1), (64, 0), (63, 0), (bytes.count, 1), (bytes.count, 0)] {
            guard length > Gen3Packets.headerBytes + skipped, bytes.count.isMultiple(of: length) else {
                continue
            }
            var packets = Gen3Packets()
            var messages: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                let packet = Array(bytes[(start + skipped)..<(start + length)])
                guard skipped == 0 || bytes[start] == Gen3Packets.reportID,
                    let taken = try? packets.take(packet)
                else {
                    continue
                }
                messages.append(taken)
            }
            if !messages.isEmpty { return messages.map(StreamCapture.gen3) }
        }
        return nil
    }

    // MARK: Refusals

    /// What is wrong with a packet, where the bytes begin like one or hold one in a report's place.
    private func packetRefusal(_ bytes: [UInt8]) -> HIDCapture.Refusal? {
        if models.contains(.idTechPacket), bytes.first == IDTechFrame.start {
            do throws(IDTechPacket.Refusal) {
                _ = try IDTechPacket(IDTechFrame.binary(bytes))
            } catch {
                return .malformed(.idTechPacket, error.rawValue)
            }
        }
        let hasID = IDTechReport.knownLengths.contains(bytes.count - 1) && bytes[0] <= 1
        guard models.contains(.idTechReport), hasID || IDTechReport.knownLengths.contains(bytes.count) else {
            return nil
        }
        do throws(IDTechReport.Refusal) {
            _ = try IDTechReport.parse(hasID ? Array(bytes.dropFirst()) : bytes)
            return .malformed(.idTechReport, IDTechPacket.Refusal.leftOver.rawValue)
        } catch {
            return .malformed(.idTechReport, error.sentence)
        }
    }

    /// A report of no known size; where the model was named, of what size its reports are.
    private func sizeRefusal(_ bytes: [UInt8]) -> HIDCapture.Refusal {
        guard models.count == 1, let model = models.first else { return .unrecognised(bytes: bytes.count) }
        let sizes = forms.filter { !$0.hasID }.map { String($0.layout.length) }
        guard !sizes.isEmpty else {
            return .malformed(model, "\(bytes.count) bytes that are none of its packets")
        }
        return .malformed(model, "report of \(bytes.count) bytes instead of \(sizes.joined(separator: ", "))")
    }
}

extension HIDCapture.Outcome {
    /// A swipe with nothing to wish for.
    var isWhole: Bool {
        switch self {
        case .failure: false
        case .success(let found): found.swipe.readTracks > 0 && found.swipe.refusedTracks == 0
        }
    }
}

extension MagTekReport {
    /// Tracks that the reader decoded and that are no text of any card, and such as it did not decode but tells the length of.
    fileprivate func contradictions(_ swipe: Swipe) -> Int {
        zip(MagTekTrackFields.all, swipe.tracks).count { fields, reading in
            let isDecoded = byte(fields.status) == 0
            return isDecoded ? reading.isRefused : byte(fields.length) > 0
        }
    }
}

extension TrackReading {
    fileprivate var isRefused: Bool { if case .refused = outcome { true } else { false } }

    /// How it ended, in a word.
    fileprivate var word: String { isRead ? "read" : isRefused ? "refused" : "empty" }
}
