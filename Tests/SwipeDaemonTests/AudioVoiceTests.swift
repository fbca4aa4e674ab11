import NIOConcurrencyHelpers
import ReaderKit
import Testing

@testable import SwipeDaemon

/// What clients hear of the drivers of one sound input, one after the other.
@Suite("Drivers that take each other's place")
struct AudioVoiceTests {
    private static let details = ReaderDetails(model: "Jack")

    private let introduction = AudioVoice.Introduction(false)

    private func voice() -> AudioVoice { AudioVoice(introduction) { _ in } }

    private func heard(_ voice: AudioVoice, _ events: ReaderEvent...) -> [ReaderEvent] {
        events.compactMap { event in
            let device = DeviceIdentity(readerID: "jack-1", bus: .audio, node: "hw:CARD=desk,DEV=0")
            let reader = AttachedReader(
                id: "jack-1", device: device, kind: "unimag", attachment: 1, remedy: nil)
            return voice.edited(
                ReaderAnnouncement(reader: reader, step: ReaderStep(event, .attached), details: Self.details)
            )?.step.event
        }
    }

    @Test func aSuccessorIsNoNewReader() {
        let first = voice()
        #expect(heard(first, .connect(Self.details)) == [.connect(Self.details)])
        first.handOver()
        #expect(heard(first, .disconnect(.deactivated)) == [])
        let second = voice()
        #expect(heard(second, .connect(Self.details)) == [.identified(Self.details)])
        #expect(heard(second, .disconnect(.unplugged)) == [.disconnect(.unplugged)])
    }

    /// The first was replaced before it said a word: the second's beginning is one all the same.
    @Test func nobodyMissesABeginning() {
        voice().handOver()
        #expect(heard(voice(), .connect(Self.details)) == [.connect(Self.details)])
    }

    /// Clients know of a search, and hear how it ends when another driver has come meanwhile and gone as well.
    @Test func nobodyMissesAnEnd() {
        let search = voice()
        _ = heard(search, .autodetectStarted(Self.details))
        search.handOver()
        let second = voice()
        second.handOver()
        let third = voice()
        #expect(
            heard(third, .connect(Self.details), .disconnect(.removed)) == [
                .identified(Self.details), .disconnect(.removed),
            ])
        // Whatever comes after that end begins anew.
        #expect(heard(voice(), .connect(Self.details)) == [.connect(Self.details)])
    }
}
