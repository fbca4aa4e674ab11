package import Logging
package import ReaderKit

/// Owns every attached reader: starts an attachment for what is plugged in, ends it for what is pulled out.
package actor ReaderSupervisor {
    package typealias Open<Driver: ReaderDriver> =
        @Sendable (DeviceIdentity) async throws(DeviceError) -> any ReaderTransport<Driver.Input>

    private struct Life {
        var reader: AttachedReader
        var ending: EndingReason
        var current: CurrentSession
        var task: Task<Void, Never>
    }

    private let announce: @Sendable (ReaderAnnouncement) -> Void
    private let logger: Logger
    /// By syspath: the only thing that a removal names for certain.
    private var lives: [String: Life] = [:]
    private struct Ending {
        var number: Int
        var isOfLine: Bool
        var task: Task<Void, Never>
    }

    /// By reader id: attachments that end, which a replug of the same reader waits for. Closing a device takes
    /// up to some seconds where it is mute, in which nothing else may wait.
    private var endings: [String: Ending] = [:]
    private var endingsSoFar = 0
    /// What would begin then nobody would end.
    private var isStopped = false
    private var counter = AttachmentCounter()
    private var names = ReaderNames()

    /// - Parameter announce: called with every announcement, in order for each reader; must not block.
    package init(logger: Logger, announce: @escaping @Sendable (ReaderAnnouncement) -> Void) {
        self.logger = logger
        self.announce = announce
    }

    /// How many readers are attached.
    package var count: Int { lives.count }

    /// Begins the attachment of a device that a driver drives.
    package func attach<Driver: ReaderDriver>(
        _ device: DeviceIdentity, _ match: DeviceMatch, driver: Driver.Type,
        terms: AttachmentTerms = AttachmentTerms(), open: @escaping Open<Driver>
    ) {
        guard lives[device.syspath] == nil, !isStopped else { return }
        begin(
            newReader(device, kind: Driver.descriptor.kind, remedy: nil), match, driver: driver, terms: terms,
            open: open)
    }

    /// Gives a device that is there to another driver, under the same name and number, once the old one has closed it.
    /// A device without an attachment begins one.
    package func replace<Driver: ReaderDriver>(
        _ device: DeviceIdentity, _ match: DeviceMatch, driver: Driver.Type, terms: AttachmentTerms,
        open: @escaping Open<Driver>
    ) {
        guard !isStopped else { return }
        guard var reader = lives[device.syspath]?.reader else {
            return attach(device, match, driver: driver, terms: terms, open: open)
        }
        detach(syspath: device.syspath, .deactivated)
        reader.kind = Driver.descriptor.kind
        begin(reader, match, driver: driver, terms: terms, open: open)
    }

    private func begin<Driver: ReaderDriver>(
        _ reader: AttachedReader, _ match: DeviceMatch, driver: Driver.Type, terms: AttachmentTerms,
        open: @escaping Open<Driver>
    ) {
        let device = reader.device
        let ending = EndingReason()
        let current = CurrentSession()
        let announce = announce
        var run = AttachmentRun(
            reader: reader, driver: driver,
            initialDetails: ReaderDetails(model: match.model, serial: device.serial), options: terms.options,
            open: open, ending: ending, current: current,
            nextAttachment: { [id = reader.id] in await self.nextAttachment(id) },
            announce: { if let heard = terms.edit($0) { announce(heard) } }, logger: logger(for: reader),
            executor: terms.executor)
        // A line that has another name now is still held under the one before.
        let previous = endings.filter { $0.key == device.readerID || $0.value.isOfLine && device.isLine }
            .values.map(\.task)
        let task = Task(executorPreference: terms.executor) {
            for ending in previous { await ending.value }
            await run.run()
        }
        lives[device.syspath] = Life(reader: reader, ending: ending, current: current, task: task)
    }

    /// The session at work on a reader; nil when there is no such reader.
    package func session(of readerID: String) -> CurrentSession? {
        lives.values.first { $0.reader.id == readerID }?.current
    }

    /// Shows a device that is recognised but cannot be used, with the advice. It is never opened.
    package func attachUnsupported(
        _ device: DeviceIdentity, _ match: DeviceMatch, kind: String, remedy: String
    ) {
        guard lives[device.syspath] == nil else { return }
        let reader = newReader(device, kind: kind, remedy: remedy)
        let ending = EndingReason()
        let details = ReaderDetails(model: match.model, serial: device.serial)
        let announce = announce
        let task = Task {
            var lifecycle = ReaderLifecycle(details)
            for step in lifecycle.openingFailed(why: remedy) {
                announce(ReaderAnnouncement(reader: reader, step: step, details: details))
            }
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            for step in lifecycle.detached(ending.reason) {
                announce(ReaderAnnouncement(reader: reader, step: step, details: details))
            }
        }
        logger(for: reader).notice(
            "reader is not supported in this mode",
            metadata: ["event": "reader.unsupported", "remedy": "\(remedy)"])
        lives[device.syspath] = Life(reader: reader, ending: ending, current: CurrentSession(), task: task)
    }

    /// Ends the attachment of a device, if it has one. Its last events are out before the first of a replug.
    package func detach(syspath: String, _ reason: DetachReason = .unplugged) {
        guard let life = lives.removeValue(forKey: syspath) else { return }
        life.ending.reason = reason
        life.task.cancel()
        let id = life.reader.device.readerID
        let previous = endings[id]?.task
        endingsSoFar += 1
        let number = endingsSoFar
        let task = Task {
            await previous?.value
            await life.task.value
            if endings[id]?.number == number { endings[id] = nil }
        }
        endings[id] = Ending(number: number, isOfLine: life.reader.device.isLine, task: task)
    }

    /// Ends every attachment, and waits until the last event is out.
    package func stop(_ reason: DetachReason) async {
        isStopped = true
        for syspath in lives.keys { detach(syspath: syspath, reason) }
        for ending in endings.values { await ending.task.value }
    }

    private func nextAttachment(_ id: String) -> UInt64 {
        counter.next(id)
    }

    private func newReader(_ device: DeviceIdentity, kind: String, remedy: String?) -> AttachedReader {
        let id = names.name(for: device, taken: Set(lives.values.map(\.reader.id)))
        return AttachedReader(
            id: id, device: device, kind: kind, attachment: counter.next(id), remedy: remedy)
    }

    private func logger(for reader: AttachedReader) -> Logger {
        var logger = logger
        logger[metadataKey: "reader"] = "\(reader.id)"
        return logger
    }
}

extension DeviceIdentity {
    /// A serial line, which one program can have at a time.
    fileprivate var isLine: Bool { bus == .serial && !isSimulated }
}
