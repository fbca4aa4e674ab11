public import SwipeProtocol

/// A reader as a ``SwipeDelegate`` sees it. The same object from connected to disconnected.
public final class SwipeDevice: Sendable {
    /// The reader's id.
    public let id: String
    private let client: SwipeClient
    private let lock = Lock()
    private nonisolated(unsafe) var current: State

    /// What is known of it, and the three conditions that it can be in at once.
    struct State {
        var info: ReaderInfo
        var isConnected = true
        var isActivated = false
        var isReadyForSwipe = false
    }

    init(_ info: ReaderInfo, client: SwipeClient) {
        id = info.id
        self.client = client
        current = State(info: info)
    }

    /// What is known of the reader: its kind, model, serial number, encryption.
    public var info: ReaderInfo { state.info }
    /// Whether it is plugged in.
    public var isConnected: Bool { state.isConnected }
    /// Whether it is powered up.
    public var isActivated: Bool { state.isActivated }
    /// Whether it reads a card that is swiped now.
    public var isReadyForSwipe: Bool { state.isReadyForSwipe }

    var state: State { lock.locked { current } }

    func change(_ body: (inout State) -> Void) { lock.locked { body(&current) } }

    /// Accept swipes, for 3 to 20 seconds or as long as the reader's settings say. Needs a claim, or the role `admin`.
    public func requestSwipe(timeoutSeconds: Int? = nil) async throws(SwipeClientError) {
        _ = try await client.control(.requestSwipe(timeoutSeconds: timeoutSeconds), reader: id)
    }

    /// Stop accepting swipes. Needs a claim, or the role `admin`.
    public func cancelSwipeRequest() async throws(SwipeClientError) {
        _ = try await client.control(.cancelSwipe, reader: id)
    }

    /// Power the reader up. Needs a claim, or the role `admin`.
    public func powerUp() async throws(SwipeClientError) {
        _ = try await client.control(.activate, reader: id)
    }

    /// Stop powering the reader up; the attempt ends as `cancelled`. Needs a claim, or the role `admin`.
    public func cancelPowerUp() async throws(SwipeClientError) {
        _ = try await client.control(.cancelActivation, reader: id)
    }

    /// Answer a prompt: one of its `Prompt.answers`. Needs a claim, or the role `admin`.
    public func answer(_ prompt: Prompt, _ answer: String) async throws(SwipeClientError) {
        _ = try await client.control(.answerPrompt(id: prompt.id, answer: answer), reader: id)
    }

    /// Say which kind of reader is at this sound input; the daemon unloads the driver of the old one. Needs a claim, or
    /// the role `admin`.
    public func setAudioReader(_ type: AudioReaderType) async throws(SwipeClientError) {
        _ = try await client.control(.setAudioReader(type), reader: id)
    }

    /// Find out which kind of reader is at this sound input. It is slow and plays loud tones: warn people first, so that
    /// they take a headphone off. Needs a claim, or the role `admin`.
    public func beginAutodetect() async throws(SwipeClientError) {
        _ = try await client.control(.autodetect, reader: id)
    }

    /// Power the reader down. Needs a claim, or the role `admin`.
    public func powerDown() async throws(SwipeClientError) {
        _ = try await client.control(.deactivate, reader: id)
    }

    /// Ask the reader whether it is there. Needs a claim, or the role `admin`.
    public func testCommunication() async throws(SwipeClientError) {
        _ = try await client.control(.testCommunication, reader: id)
    }

    /// Change how the reader behaves: whether it always accepts swipes, is powered up when it is plugged in, and so on.
    /// Needs a claim, or the role `admin`.
    public func set(_ settings: ReaderSettings) async throws(SwipeClientError) {
        _ = try await client.control(.set(settings), reader: id)
    }
}
