import CardData
import EventServer
import SwipeClient
import SwipeProtocol
import Synchronization
import Testing

/// Writes down what it is told.
final class Diary: SwipeDelegate {
    private let lines = AsyncStream<String>.makeStream()

    /// The next lines; a diary that stays empty fails its test by the time limit.
    func next(_ count: Int) async -> [String] {
        var taken: [String] = []
        for await line in lines.stream {
            taken.append(line)
            if taken.count == count { break }
        }
        return taken
    }

    private func write(_ line: String) { lines.continuation.yield(line) }

    func didSwipeCard(_ card: SwipedCard?, device: SwipeDevice) {
        write("swiped \(card?.maskedCardNumber ?? "nil") \(card?.expirationDate ?? "-")")
    }
    func deviceBecameReadyForSwipe(_ device: SwipeDevice) { write("ready \(device.isReadyForSwipe)") }
    func deviceBecameUnreadyForSwipe(_ device: SwipeDevice, reason: UnreadyCause) {
        write("unready \(reason.rawValue) \(device.isReadyForSwipe)")
    }
    func deviceConnected(_ device: SwipeDevice) {
        write("connected \(device.id) \(device.info.model)" + (device.isConnected ? "" : ", and is not"))
    }
    func deviceDisconnected(_ device: SwipeDevice) { write("disconnected \(device.isConnected)") }
    func deviceActivationFinished(_ device: SwipeDevice, result: ActivationOutcome) {
        write("activated \(result.rawValue) \(device.isActivated)")
    }
    func deviceDeactivated(_ device: SwipeDevice) { write("deactivated \(device.isActivated)") }
    func deviceAutodetectStarted() { write("autodetect") }
    func deviceAutodetectComplete(_ result: AutodetectResult) { write("autodetected \(result.rawValue)") }
    func deviceCommunicationTestComplete(_ device: SwipeDevice, answered: Bool) {
        write("tested \(answered)")
    }
    func devicePrompts(_ device: SwipeDevice, _ prompt: Prompt) {
        write("prompt \(prompt.id) \(prompt.text)")
    }
    func devicePromptClosed(_ device: SwipeDevice, id: String) { write("prompt \(id) over") }
    func swipeControllerFailed(_ error: SwipeClientError) { write("failed \(error.code)") }
}

/// Keeps the device of each event.
private final class Witness: SwipeDelegate {
    private let devices = AsyncStream<SwipeDevice>.makeStream()

    func next(_ count: Int) async -> [SwipeDevice] {
        var taken: [SwipeDevice] = []
        for await device in devices.stream {
            taken.append(device)
            if taken.count == count { break }
        }
        return taken
    }

    private func saw(_ device: SwipeDevice) { devices.continuation.yield(device) }

    func didSwipeCard(_ card: SwipedCard?, device: SwipeDevice) { saw(device) }
    func deviceBecameReadyForSwipe(_ device: SwipeDevice) { saw(device) }
    func deviceBecameUnreadyForSwipe(_ device: SwipeDevice, reason: UnreadyCause) { saw(device) }
    func deviceConnected(_ device: SwipeDevice) { saw(device) }
    func deviceDisconnected(_ device: SwipeDevice) { saw(device) }
    func deviceActivationFinished(_ device: SwipeDevice, result: ActivationOutcome) { saw(device) }
    func deviceDeactivated(_ device: SwipeDevice) { saw(device) }
    func deviceCommunicationTestComplete(_ device: SwipeDevice, answered: Bool) { saw(device) }
    func devicePrompts(_ device: SwipeDevice, _ prompt: Prompt) { saw(device) }
    func devicePromptClosed(_ device: SwipeDevice, id: String) { saw(device) }
}

@Suite(.timeLimit(.minutes(5))) struct DelegateTests {
    private func reader(_ state: ReaderState = .connected, attachment: UInt64 = 1) -> ReaderInfo {
        ReaderInfo(
            id: "magtek-1", kind: "magtek", model: "Dynamag", bus: .usb, state: state, attachment: attachment)
    }

    private let swipe = SwipeData(
        card: CardInfo(
            kind: .payment, pan: PANInfo(masked: "411111******1111", length: 16), expiry: "2712"),
        tracks: [TrackInfo(track: 2, status: .ok)])

    @Test func tellsAReadersLife() async throws {
        try await withServer { server, path in
            let diary = Diary()
            let controller = SwipeController(delegate: diary, client: SwipeClient(path: path))
            // The stream is there when a reader that was plugged in before it is told.
            server.publish(Publication(reader: reader(), .connect(reader())))
            #expect(await diary.next(1) == ["connected magtek-1 Dynamag"])
            let bad = SwipeData(tracks: [TrackInfo(track: 2, status: .parity)])
            for event: EventBody in [
                .activate(.success), .ready(expiresAt: nil), .swipe(swipe), .swipe(bad),
                .unready(.refreshing),
                .ready(expiresAt: nil), .autodetectStart, .autodetectComplete(.unimag),
                .unready(.disconnected), .deactivate(.disconnected),
            ] { server.publish(Publication(reader: reader(), event)) }
            server.publish(Publication(reader: reader(), .disconnect(.unplugged)))
            #expect(
                await diary.next(11) == [
                    "activated success true", "ready true", "swiped 411111******1111 1227", "swiped nil -",
                    "unready refreshing false", "ready true", "autodetect", "autodetected unimag",
                    "unready disconnected false", "deactivated false", "disconnected false",
                ])
            withExtendedLifetime(controller) {}
        }
    }

    /// Of two readers each event has the device that it is of, the same object from connected to disconnected.
    @Test func tellsTheDeviceWithEachEvent() async throws {
        try await withServer { server, path in
            let witness = Witness()
            let controller = SwipeController(delegate: witness, client: SwipeClient(path: path))
            let readers = ["one", "two"].map {
                ReaderInfo(id: $0, kind: "unimag", model: "Shuttle", bus: .audio, state: .connected)
            }
            for reader in readers { server.publish(Publication(reader: reader, .connect(reader))) }
            // It listens when it has told of both.
            var seen = await witness.next(2)
            let prompt = Prompt(id: "7", kind: .activation, text: "May it?", answers: ["accept", "decline"])
            let events: [EventBody] = [
                .activate(.success), .ready(expiresAt: nil), .swipe(swipe), .unready(.swiped),
                .prompt(prompt), .promptClosed(id: "7", .answered), .testComplete(answered: true),
                .deactivate(.requested),
            ]
            for event in events {
                for reader in readers { server.publish(Publication(reader: reader, event)) }
            }
            for reader in readers { server.publish(Publication(reader: reader, .disconnect(.unplugged))) }
            seen += await witness.next((events.count + 1) * 2)
            #expect(seen.map(\.id) == seen.indices.map { $0 % 2 == 0 ? "one" : "two" })
            for (first, second) in zip(seen, seen.dropFirst(2)) { #expect(first === second) }
            withExtendedLifetime(controller) {}
        }
    }

    @Test func tellsOfPromptsAndTests() async throws {
        try await withServer { server, path in
            let diary = Diary()
            let controller = SwipeController(delegate: diary, client: SwipeClient(path: path))
            server.publish(Publication(reader: reader(), .connect(reader())))
            _ = await diary.next(1)
            let prompt = Prompt(id: "7", kind: .activation, text: "May it?", answers: ["accept", "decline"])
            for event: EventBody in [
                .prompt(prompt), .promptClosed(id: "7", .answered, answer: "accept"),
                .testComplete(answered: true), .testComplete(answered: false, why: "nothing plays"),
            ] { server.publish(Publication(reader: reader(), event)) }
            #expect(
                await diary.next(4) == ["prompt 7 May it?", "prompt 7 over", "tested true", "tested false"])
            withExtendedLifetime(controller) {}
        }
    }

    /// Nothing of power and readiness is told during the search; the three conditions hold afterwards.
    @Test func conditionsHoldAfterASearch() async throws {
        try await withServer { server, path in
            let diary = Diary()
            let controller = SwipeController(delegate: diary, client: SwipeClient(path: path))
            // The stream is there when another reader is told of.
            let other = ReaderInfo(
                id: "other", kind: "passive", model: "Head", bus: .audio, state: .connected)
            server.publish(Publication(reader: other, .connect(other)))
            #expect(await diary.next(1) == ["connected other Head"])
            server.publish(Publication(reader: reader(.autodetecting), .autodetectStart))
            server.publish(Publication(reader: reader(.ready), .update(reader(.ready))))
            server.publish(Publication(reader: reader(.ready), .autodetectComplete(.ips)))
            #expect(await diary.next(2) == ["autodetect", "autodetected ips"])
            let device = try #require(controller.devices.first { $0.id == "magtek-1" })
            #expect(device.isConnected && device.isActivated && device.isReadyForSwipe)
        }
    }

    @Test func tellsOfAReaderThatIsReadyAlready() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: reader(.ready), .ready(expiresAt: nil)))
            let diary = Diary()
            let controller = SwipeController(delegate: diary, client: SwipeClient(path: path))
            #expect(
                await diary.next(3) == [
                    "connected magtek-1 Dynamag", "activated success true", "ready true",
                ])
            #expect(controller.devices.map(\.id) == ["magtek-1"])
        }
    }

    @Test func aRestartOfTheDaemonLeadsOutAndInAgain() async throws {
        let folder = try temporaryFolder()
        let first = try await start(folder, instance: "first")
        first.publish(Publication(reader: reader(.ready), .ready(expiresAt: nil)))
        let diary = Diary()
        let controller = SwipeController(delegate: diary, client: SwipeClient(path: folder + "/s.sock"))
        #expect(await diary.next(3).last == "ready true")
        await first.stop()
        let second = try await start(
            folder, instance: "second",
            before: [Publication(reader: reader(.active), .activate(.success))])
        #expect(
            await diary.next(3) == ["unready disconnected false", "deactivated false", "disconnected false"])
        #expect(await diary.next(2) == ["connected magtek-1 Dynamag", "activated success true"])
        withExtendedLifetime(controller) {}
        await second.stop()
    }

    @Test func saysThatThereIsNoDaemon() async {
        let diary = Diary()
        let controller = SwipeController(delegate: diary, client: SwipeClient(path: "/nonexistent/s"))
        #expect(await diary.next(1) == ["failed noDaemon"])
        withExtendedLifetime(controller) {}
    }
}
