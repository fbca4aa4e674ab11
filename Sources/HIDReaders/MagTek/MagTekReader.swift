import CardData
import ReaderKit

/// What the drivers for MagTek's readers share: it waits for reports, and talks with the reader beside them.
///
/// The reader is ready before it has been asked anything, and whatever it answers or leaves unanswered: reports come
/// without being asked for, and a mute feature report must not cost a swipe.
struct MagTekReader: Sendable {
    /// A little more than the kernel waits for a control transfer (5 s), whose error then comes first.
    static let answerTimeout = Duration.seconds(7)

    /// What differs between the families.
    struct Family: Sendable {
        var layouts: [MagTekLayout]
        var questions: [MagTekExchange]
        var properties: [MagTekProperty]
        /// Bytes of the feature report where the descriptor does not tell.
        var featureLength: Int
        /// What is known before the reader is asked: some cannot encrypt.
        var encryption = EncryptionState.unknown
    }

    /// What the driver's one timer runs for. A read that is held back goes before an answer: that is awaited anew once the
    /// hold is over, since the kernel ends a request in time by itself.
    enum TimerUse: Sendable {
        case none, answer, hold
    }

    let family: Family
    let layouts: [MagTekLayout]
    let reportID: UInt8
    /// Whether the transport knows from a report descriptor if reports begin with their id, and takes it off.
    let isDescribed: Bool
    let featureLength: Int
    var details: ReaderDetails
    /// What clients were told last.
    private var told: ReaderDetails
    /// Answers that clients wait for before they hear of the reader: told once, not bit by bit.
    var openIntroductions = 0
    var exchanges = ExchangeQueue<MagTekExchange>()
    /// Reader said how many digits it leaves uncovered (property 0x07).
    var readerShows = AccountNumber.Shown.readerDefault
    /// From property 0x54, for readers whose status word does not say.
    var keyVariant: SwipeEncryption.KeyVariant?
    var insertions: InsertReads?
    var timerUse = TimerUse.none
    var notifications = MagTekNotification()

    init(_ device: DeviceIdentity, match: DeviceMatch?, family: Family) {
        self.family = family
        let descriptor = try? ReportDescriptor(device.reportDescriptor)
        let quirks = match?.quirks ?? Quirks()
        isDescribed = descriptor?.reportIDs(.input).isEmpty == false
        // The descriptor tells which report is the swipe: the one whose layout makes sense.
        let described = descriptor.flatMap { descriptor in
            descriptor.reportIDs(.input).lazy.compactMap { id in
                MagTekLayout(descriptor, reportID: id).map { (id: id, layout: $0) }
            }.first
        }
        reportID = described?.id ?? quirks.reportID
        layouts = described.map { [$0.layout] } ?? family.layouts
        featureLength =
            descriptor?.byteLength(.feature, id: reportID) ?? quirks.featureLength ?? family.featureLength
        details = ReaderDetails(
            model: match?.model ?? device.product ?? "MagTek reader", serial: device.serial,
            encryption: family.encryption)
        told = details
        insertions = quirks.isInsertReader ? InsertReads() : nil
    }

    mutating func start() -> [DriverAction] {
        for question in family.questions where exchanges.add(question) {
            openIntroductions += question.isIntroduction ? 1 : 0
        }
        told = details
        return [
            .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
        ]
            + nextExchange()
    }

    /// Tells what became known.
    mutating func tellDetails() -> [DriverAction] {
        guard details != told else { return [] }
        told = details
        return [.signal(.identified(details))]
    }

    mutating func receive(_ report: HIDReport) -> [DriverAction] {
        let report = withID(report)
        return switch report.kind {
        case .feature: answered(.success(report.bytes))
        case .input where report.id == reportID: swiped(report.bytes)
        case .input where report.id == MagTekNotification.reportID && reportID != 0: notified(report.bytes)
        case .input: [.signal(.malformed("report with id \(report.id)"))]
        }
    }

    /// A report of a device without a descriptor, of which the transport could not know that it begins with its id. One that is
    /// as long as a swipe begins with the swipe.
    private func withID(_ report: HIDReport) -> HIDReport {
        guard !isDescribed, report.kind == .input, report.id == 0, reportID != 0 else { return report }
        if layouts.contains(where: { $0.length == report.bytes.count }) {
            return HIDReport(id: reportID, bytes: report.bytes)
        }
        guard let id = report.bytes.first else { return HIDReport(id: reportID, bytes: []) }
        return HIDReport(id: id, bytes: Array(report.bytes.dropFirst()))
    }

    /// A swipe is one report. A read that an insert reader holds back stays: it is of one card whatever comes, and the loss of
    /// the other read makes no second swipe of it.
    mutating func inputsLost() -> [DriverAction] {
        notifications.lose()
        return []
    }

    mutating func timerFired() -> [DriverAction] {
        let use = timerUse
        timerUse = .none
        switch use {
        case .none: return []
        case .hold:
            let held = insertions?.giveUp().map { [DriverAction.signal(.swiped($0))] } ?? []
            return held + (exchanges.inFlight == nil ? [] : awaitAnswer())
        case .answer: return exchanges.giveUp().map { concluded($0, .failure(.timedOut)) } ?? []
        }
    }

    /// Starts the timer for an answer, unless it runs for a read that is held back.
    mutating func awaitAnswer() -> [DriverAction] {
        guard timerUse != .hold else { return [] }
        timerUse = .answer
        return [.startTimer(Self.answerTimeout)]
    }

    mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { answered(.failure(error)) }

    /// A swipe's report.
    private mutating func swiped(_ bytes: [UInt8]) -> [DriverAction] {
        do throws(MagTekReport.Refusal) {
            guard let layout = layouts.first(where: { $0.length == bytes.count }) else {
                throw .wrongLength(bytes.count, expected: layouts.map(\.length).sorted())
            }
            return try swiped(MagTekReport(bytes, layout: layout))
        } catch {
            return [.signal(.malformed(error.sentence))]
        }
    }

    private mutating func swiped(_ report: MagTekReport) throws(MagTekReport.Refusal) -> [DriverAction] {
        var swipe: Swipe
        do throws(MagTekReport.Refusal) {
            swipe = try report.checkedSwipe(readerShows: readerShows)
        } catch {
            // A reader that refuses cards tells so in the report of one.
            guard case .fault = error else { throw error }
            return learned(from: report) + [.signal(.malformed(error.sentence))]
        }
        if swipe.encryption?.keyVariant == .pin, let keyVariant { swipe.encryption?.keyVariant = keyVariant }
        return learned(from: report) + delivered(swipe, report: report)
    }

    /// What a report tells of the reader beside the card.
    private mutating func learned(from report: MagTekReport) -> [DriverAction] {
        if let status = report.encryptionStatus { details.encryption = status.state }
        if report.counter == 0 { details.encryption = .keyExhausted }
        if details.serial == nil { details.serial = report.serial }
        // A swipe is not told of before its reader.
        return tellDetails()
    }

    private mutating func delivered(_ swipe: Swipe, report: MagTekReport) -> [DriverAction] {
        let isInsertion = report.byte(.cardStatus) & 1 == 1
        guard let verdict = insertions?.take(swipe, isInsertion: isInsertion) else {
            return [.signal(.swiped(swipe))]
        }
        let swipes = verdict.deliver.map { DriverAction.signal(.swiped($0)) }
        guard let hold = verdict.hold else { return swipes }
        timerUse = .hold
        return swipes + [.startTimer(hold)]
    }

    private mutating func notified(_ bytes: [UInt8]) -> [DriverAction] {
        do throws(MagTekNotification.Refusal) {
            // EMV notifications are not for swipes: taken together so that a broken one is noticed, then dropped.
            _ = try notifications.take(bytes)
            return []
        } catch {
            return [.signal(.malformed("notification: \(error.rawValue)"))]
        }
    }
}
