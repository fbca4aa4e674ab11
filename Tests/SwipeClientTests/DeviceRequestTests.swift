import EventServer
import SwipeClient
import SwipeProtocol
import Synchronization
import TestSupport
import Testing

/// Writes down what reaches it of the requests.
private final class Ledger: ServerBackend {
    private let entries = Mutex<[ControlRequest]>([])

    /// What came since the last call, each for the one reader.
    func taken() -> [ControlRequest] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }

    func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<ControlResult, ErrorReply> {
        guard reader == "magtek-1" else { return .failure(ErrorReply(.readerUnknown, "another reader")) }
        entries.withLock { $0.append(request) }
        return .success(.taken())
    }
}

/// Says which readers it was told of.
private final class Doorbell: SwipeDelegate {
    let rings = AsyncStream<SwipeDevice>.makeStream()

    func deviceConnected(_ device: SwipeDevice) { rings.continuation.yield(device) }
    func deviceBecameReadyForSwipe(_ device: SwipeDevice) { rings.continuation.yield(device) }
}

/// Every request of the client's interface reaches the daemon as the one it is named after.
@Suite(.timeLimit(.minutes(5))) struct DeviceRequestTests {
    private static let reader = ReaderInfo(
        id: "magtek-1", kind: "magtek", model: "Dynamag", bus: .usb, state: .connected)

    /// A server with the one reader, and the device that a controller's delegate is given for it.
    private func withDevice(
        roles: Set<Role> = [.full, .admin], backend: any ServerBackend = EchoBackend(),
        _ body: (SwipeDevice, SwipeController) async throws -> Void
    ) async throws {
        try await withServer(roles: roles, backend: backend) { server, path in
            server.publish(Publication(reader: Self.reader, .connect(Self.reader)))
            let doorbell = Doorbell()
            let controller = SwipeController(delegate: doorbell, client: SwipeClient(path: path))
            try await body(try #require(await doorbell.rings.stream.first { _ in true }), controller)
            withExtendedLifetime(doorbell) {}
        }
    }

    @Test func aDevicesRequestsReachTheDaemon() async throws {
        let ledger = Ledger()
        try await withDevice(backend: ledger) { device, _ in
            let prompt = Prompt(id: "7", kind: .activation, text: "May it?", answers: ["accept", "decline"])
            let settings = ReaderSettings(alwaysAcceptSwipe: true, swipeTimeoutSeconds: 5)
            try await device.requestSwipe(timeoutSeconds: 7)
            try await device.requestSwipe()
            try await device.cancelSwipeRequest()
            try await device.powerUp()
            try await device.cancelPowerUp()
            try await device.powerDown()
            try await device.answer(prompt, "accept")
            try await device.setAudioReader(.unimag)
            try await device.beginAutodetect()
            try await device.testCommunication()
            try await device.set(settings)
            #expect(
                ledger.taken() == [
                    .requestSwipe(timeoutSeconds: 7), .requestSwipe(timeoutSeconds: nil), .cancelSwipe,
                    .activate, .cancelActivation, .deactivate, .answerPrompt(id: "7", answer: "accept"),
                    .setAudioReader(.unimag), .autodetect, .testCommunication, .set(settings),
                ])
        }
    }

    /// Without a claim and without the role `admin` the daemon refuses, and nothing reaches the reader.
    @Test func aDeviceWithoutAClaimIsRefused() async throws {
        let ledger = Ledger()
        try await withDevice(roles: [.full], backend: ledger) { device, controller in
            await #expect {
                try await device.powerUp()
            } throws: {
                ($0 as? SwipeClientError)?.code == .claimed
            }
            #expect(ledger.taken().isEmpty)
            try await controller.client.withClaim("magtek-1") { claimed in
                try await claimed.requestSwipe(timeoutSeconds: 3)
                try await claimed.cancelSwipe()
            }
            #expect(ledger.taken() == [.requestSwipe(timeoutSeconds: 3), .cancelSwipe])
        }
    }

    /// What the daemon has to tell people comes back from each request, in its words; what it takes without one, says nothing.
    @Test func warningsReachTheCaller() async throws {
        try await withDevice { device, _ in
            let prompt = Prompt(id: "7", kind: .activation, text: "May it?", answers: ["accept", "decline"])
            // The server of the test warns with the name of what it is asked.
            #expect(try await device.beginAutodetect() == "autodetect")
            #expect(try await device.testCommunication() == "test_communication")
            #expect(try await device.setAudioReader(.autodetect) == "set_audio_reader")
            #expect(try await device.powerDown() == "deactivate")
            #expect(try await device.set(ReaderSettings(volumeToMax: true)) == "set")
            #expect(try await device.powerUp() == "activate")
            #expect(try await device.cancelPowerUp() == "cancel_activation")
            #expect(try await device.requestSwipe() == "request_swipe")
            #expect(try await device.cancelSwipeRequest() == "cancel_swipe")
            #expect(try await device.answer(prompt, "accept") == "answer_prompt")
            let settings = try await device.settings()
            #expect(settings == EchoBackend.settings)
        }
        let ledger = Ledger()
        try await withDevice(backend: ledger) { device, _ in
            let warning = try await device.beginAutodetect()
            #expect(warning == nil)
        }
    }

    /// What is in force may be looked at without a claim; nothing else of a reader's settings may.
    @Test func settingsNeedNoClaim() async throws {
        try await withServer(roles: [.status]) { server, path in
            server.publish(Publication(reader: Self.reader, .connect(Self.reader)))
            let client = SwipeClient(path: path)
            try await client.barrier()
            #expect(try await client.settings(of: "magtek-1") == EchoBackend.settings)
            await #expect(throws: SwipeClientError.self) {
                try await client.control(.set(ReaderSettings(volumeToMax: true)), reader: "magtek-1")
            }
            await #expect { _ = try await client.settings(of: "nope") } throws: {
                ($0 as? SwipeClientError)?.code == .noSuchReader
            }
        }
    }

    @Test func givesTheSchema() async throws {
        try await withServer { _, path in
            let schema = try await SwipeClient(path: path).schema()
            #expect(schema.object?["$id"]?.string == "urn:swiped:swipe-1")
        }
    }

    /// A delegate that is told nothing more; another one still is.
    @Test func aStoppedControllerTellsNothing() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: Self.reader, .connect(Self.reader)))
            let (stopped, other) = (Doorbell(), Doorbell())
            let first = SwipeController(delegate: stopped, client: SwipeClient(path: path))
            let second = SwipeController(delegate: other, client: SwipeClient(path: path))
            let device = try #require(await stopped.rings.stream.first { _ in true })
            _ = await other.rings.stream.first { _ in true }
            first.stop()
            // With the second, the first would be told long since.
            for _ in 0..<2 {
                server.publish(Publication(reader: Self.reader, .ready(expiresAt: nil)))
                _ = await other.rings.stream.first { _ in true }
            }
            stopped.rings.continuation.finish()
            let isTold = await stopped.rings.stream.contains { _ in true }
            #expect(!isTold && !device.isReadyForSwipe)
            withExtendedLifetime((first, second)) {}
        }
    }
}
