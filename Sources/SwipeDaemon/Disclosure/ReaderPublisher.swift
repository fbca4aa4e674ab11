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
        if isCommunicationError(event) { countCommunicationError(announcement.reader.id) }
        if case .overrun(let count) = event { countOverruns(announcement.reader.id, count) }
        guard let kind = EventMapping.kind(event) else { return }
        // The result of a search is published before its end: a client that receives the end looks at it.
        if case .autodetectCompleted = event {
            publish(Publication(reader: info, instant: now, .update(info)))
        }
        if let closed {
            publish(Publication(reader: info, instant: now, closed))
        } else if case .disconnect(let reason) = event {
            publish(Publication(goneReader: info, instant: now, EventMapping.disconnection(reason)))
        } else {
            publish(
                Publication(reader: info, kind: kind, instant: now) { view in
                    EventMapping.body(event, info: info, expiresAt: expiresAt, view: view, hash: hash)
                })
        }
    }

    /// Keeps the prompt that people see now. Returns how one ended.
    private func follow(_ event: ReaderEvent, of reader: String, _ now: EventInstant) -> EventBody? {
        switch event {
        case .promptShown(let prompt):
            prompts.shown(prompt, of: reader, at: now.wall)
            return nil
        case .promptClosed(_, let closure): return prompts.closed(of: reader, closure)
        case .disconnect:
            prompts.forget(reader)
            return nil
        case .connect, .identified, .activate, .deactivate, .ready, .unready, .swipeStarted, .swipe,
            .malformed,
            .overrun, .testCompleted, .autodetectStarted, .autodetectCompleted:
            return nil
        }
    }

    /// What UnifiedPOS counts as one: the reader broke its protocol, did not answer or failed at work. That it was
    /// pulled out is none.
    private func isCommunicationError(_ event: ReaderEvent) -> Bool {
        switch event {
        case .malformed: true
        case .activate(let result, _): result == .timeout || result == .failed
        case .unready(let reason): reason == .error
        case .connect, .identified, .deactivate, .ready, .swipeStarted, .swipe, .disconnect, .overrun,
            .promptShown,
            .promptClosed, .testCompleted, .autodetectStarted, .autodetectCompleted:
            false
        }
    }

    private func expiry(_ event: ReaderEvent, _ now: EventInstant) -> WallTime? {
        guard case .ready(let duration?) = event else { return nil }
        return now.wall.advanced(by: duration)
    }
}
