import KeyboardReaders
import ReaderKit
import SwipeProtocol
import Testing

@testable import SwipeDaemon

/// What clients hear of how a reader that types is held.
@Suite struct KeyboardHoldTests {
    private static let details = ReaderDetails(model: "Keys")

    private func held(
        _ event: ReaderEvent, _ state: ReaderKit.ReaderState, by terms: AttachmentTerms
    ) -> ReaderHold? {
        let device = DeviceIdentity(readerID: "keyboard-1", bus: .usb, node: "/dev/input/event3")
        let reader = AttachedReader(id: "keyboard-1", device: device, kind: "keyboard", attachment: 1)
        let announcement = ReaderAnnouncement(
            reader: reader, step: ReaderStep(event, state), details: Self.details)
        return terms.edit(announcement).flatMap {
            EventMapping.info($0, expiresAt: nil, prompt: nil).held
        }
    }

    /// Only while the daemon has it open.
    @Test(arguments: [false, true])
    func aReaderThatIsOpenIsHeld(isSilent: Bool) {
        let keyboard = KeyboardTerms(
            name: "till", consent: .section(isForced: true), options: ReaderOptions(), isSilent: isSilent)
        let terms = AttachmentTerms().holding(keyboard.hold)
        let hold: ReaderHold = isSilent ? .inhibited : .grabbed
        #expect(held(.activate(.success, why: nil), .active, by: terms) == hold)
        #expect(held(.ready(expiresIn: nil), .ready, by: terms) == hold)
        #expect(held(.swipeStarted, .swiping, by: terms) == hold)
        #expect(held(.connect(Self.details), .attached, by: terms) == nil)
        #expect(held(.activate(.failed, why: "a person typed on it"), .attached, by: terms) == nil)
        #expect(held(.deactivate(.deactivated), .attached, by: terms) == nil)
    }

    @Test func whatDoesNotTypeIsNot() {
        #expect(held(.ready(expiresIn: nil), .ready, by: AttachmentTerms()) == nil)
    }
}
