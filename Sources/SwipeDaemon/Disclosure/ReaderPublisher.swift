import EventServer
import ReaderKit
import SwipeProtocol

/// Hands what happened to the socket server, and to the log once.
struct ReaderPublisher: Sendable {
    let publish: @Sendable (Publication) -> Void
    let prompts: PromptLedger
    /// Called with the id of a reader that did not do what its protocol says.
    let countCommunicationError: @Sendable (String) -> Void
    /// Called with the id of a reader whose sound was lost, and how often.
    let countOverruns: @Sendable (String, Int) -> Void
    /// Nil where the configuration has no key for it.
    let hash: CardHash?
    /// Called once with each announcement, for the log.
    let log: @Sendable (ReaderAnnouncement) -> Void

    func announce(_ announcement: ReaderAnnouncement) {
        defer { log(announcement) }
        let now = EventInstant.now()
        let expiresAt = expiry(announcement.step.event, now)
        let event = announcement.step.event
        let closed = follow(event, of: announcement.reader.id, now)
        let info = EventMapping.info(
            announcement, expiresAt: expiresAt, prompt: prompts.open(of: announcement.reader.id))
        if event.isCommunicationError { countCommunicationError(announcement.reader.id) }
        if case .notice(.overrun(let count)) = event { countOverruns(announcement.reader.id, count) }
        // The result of a search is published before its end: a client that receives the end looks at it.
        if case .autodetectCompleted = event {
            publish(Publication(reader: info, instant: now, .update(info)))
        }
        if case .swipe(let swipe) = event {
            publish(
                Publication(reader: info, kind: .swipe, instant: now) { view in
                    .swipe(SwipeDisclosure.data(of: swipe, for: view, hash: hash))
                })
        } else if let told = closed ?? EventMapping.told(event, info: info, expiresAt: expiresAt) {
            publish(Publication(reader: info, instant: now, told))
        }
    }

    /// Keeps the prompt that people see now. Returns how one ended.
    private func follow(_ event: ReaderEvent, of reader: String, _ now: EventInstant) -> EventBody? {
        if case .promptShown(let prompt) = event { prompts.shown(prompt, of: reader, at: now.wall) }
        if case .disconnect = event { prompts.forget(reader) }
        guard case .promptClosed(_, let closure) = event else { return nil }
        return prompts.closed(of: reader, closure)
    }

    private func expiry(_ event: ReaderEvent, _ now: EventInstant) -> WallTime? {
        guard case .ready(let duration?) = event else { return nil }
        return now.wall.advanced(by: duration)
    }
}

extension ReaderEvent {
    /// What UnifiedPOS counts as one: the reader broke its protocol, did not answer or failed at work. That it was
    /// pulled out is none, nor that it could not be opened.
    var isCommunicationError: Bool {
        if case .notice(let notice) = self { return notice.isCommunicationError }
        if case .activate(let result, _) = self { return result == .timeout || result == .failed }
        return self == .unready(.error)
    }
}

extension ReaderNotice {
    fileprivate var isCommunicationError: Bool {
        switch self {
        case .malformed: true
        case .overrun: false
        }
    }
}
