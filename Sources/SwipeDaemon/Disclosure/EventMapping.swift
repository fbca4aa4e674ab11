import ReaderKit
import SwipeProtocol

/// Turns what happened to a reader into the protocol's words.
enum EventMapping {
    /// The reader as clients list it after a step.
    static func info(
        _ announcement: ReaderAnnouncement, expiresAt: WallTime?, prompt: Prompt?
    ) -> ReaderInfo {
        let reader = announcement.reader
        var info = ReaderInfo(
            id: reader.id, kind: reader.kind, model: announcement.details.model,
            serial: announcement.details.serial, firmware: announcement.details.firmware,
            bus: bus(reader.device.bus), port: reader.device.port,
            encryption: encryption(announcement.details.encryption),
            state: state(announcement.step.state), attachment: reader.attachment,
            isSimulated: reader.device.isSimulated, name: reader.device.name)
        if case .activate(let result, let why) = announcement.step.event, result != .success {
            if outcome(result) == .failed { info.state = reader.remedy == nil ? .failed : .unsupported }
            info.detail = why
        } else if let remedy = reader.remedy {
            info.state = .unsupported
            info.detail = remedy
        }
        if case .autodetectStarted = announcement.step.event { info.state = .autodetecting }
        if case .deactivate(.suspended) = announcement.step.event { info.state = .suspended }
        // Closed, it is given back.
        if info.isActivated { info.held = reader.held }
        info.expiresAt = expiresAt
        info.prompt = prompt
        return info
    }

    /// What clients receive of an event; nil where they receive nothing.
    static func told(_ event: ReaderEvent, info: ReaderInfo, expiresAt: WallTime?) -> EventBody? {
        switch event {
        case .connect: .connect(info)
        case .identified: .update(info)
        // The ledger of prompts says how one ended, and masking what a view sees of a swipe.
        case .promptClosed, .swipe: nil
        case .notice(let notice): told(notice)
        case .promptShown: info.prompt.map { .prompt($0) }
        case .testCompleted(let answered, let why): .testComplete(answered: answered, why: why)
        case .autodetectStarted: .autodetectStart
        case .autodetectCompleted(let result, _): .autodetectComplete(outcome(result))
        case .activate(let result, let why): .activate(outcome(result), why: why)
        case .deactivate(let reason): .deactivate(deactivation(reason))
        case .ready: .ready(expiresAt: expiresAt)
        case .unready(let reason): .unready(cause(reason))
        case .swipeStarted: .swipeStart
        case .disconnect(let reason): .disconnect(disconnection(reason))
        }
    }

    private static func told(_ notice: ReaderNotice) -> EventBody? {
        switch notice {
        case .malformed, .overrun: nil
        }
    }

    private static func bus(_ bus: DeviceIdentity.Bus) -> ReaderBus {
        switch bus {
        case .usb: .usb
        case .bluetooth: .bluetooth
        case .other: .other
        case .audio: .audio
        case .serial: .serial
        }
    }

    private static func encryption(_ state: EncryptionState) -> ReaderEncryption {
        switch state {
        case .unknown: .unknown
        case .clear: .clear
        case .encrypted: .encrypted
        case .keyExhausted: .keyExhausted
        case .noKey: .noKey
        }
    }

    private static func state(_ state: ReaderKit.ReaderState) -> SwipeProtocol.ReaderState {
        switch state {
        case .attached, .detached: .connected
        case .active: .active
        case .ready: .ready
        case .swiping: .reading
        }
    }

    private static func outcome(_ result: ActivationResult) -> ActivationOutcome {
        switch result {
        case .success: .success
        case .timeout: .timeout
        case .declined: .declined
        case .failed, .unopened: .failed
        case .cancelled: .cancelled
        case .volumeTooLow: .volumeTooLow
        }
    }

    private static func outcome(_ result: ReaderKit.AutodetectResult) -> SwipeProtocol.AutodetectResult {
        switch result {
        case .ipsEnterprise: .ipsEnterprise
        case .ips: .ips
        case .unimag: .unimag
        case .passive: .passive
        case .fail: .fail
        }
    }

    private static func cause(_ reason: UnreadyReason) -> UnreadyCause {
        switch reason {
        case .refreshing: .refreshing
        case .timeout: .timeout
        case .swiped: .swiped
        case .cancelled: .cancelled
        case .disconnected: .disconnected
        case .deactivated: .deactivated
        case .error: .error
        case .suspended: .suspended
        }
    }

    private static func deactivation(_ reason: DetachReason) -> DeactivationReason {
        switch reason {
        case .unplugged, .removed, .shutdown: .disconnected
        case .deactivated: .requested
        case .error: .error
        case .suspended: .suspended
        }
    }

    private static func disconnection(_ reason: DetachReason) -> DisconnectReason {
        switch reason {
        case .unplugged, .deactivated: .unplugged
        case .error, .suspended: .error
        case .removed: .configuration
        case .shutdown: .shutdown
        }
    }
}
