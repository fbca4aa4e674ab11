public import SwipeProtocol

/// A reader as a ``SwipeDelegate`` sees it. The same object from connected to disconnected.
///
/// What is asked of it returns something to tell people where the daemon has a warning: loud tones, for one.
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
    @discardableResult
    public func requestSwipe(timeoutSeconds: Int? = nil) async throws(SwipeClientError) -> String? {
        try await ask(.requestSwipe(timeoutSeconds: timeoutSeconds))
    }

    /// Stop accepting swipes. Needs a claim, or the role `admin`.
    @discardableResult
    public func cancelSwipeRequest() async throws(SwipeClientError) -> String? {
        try await ask(.cancelSwipe)
    }

    /// Power the reader up. While people are asked whether it may be, this answers for them: yes. Needs a claim, or the role
    /// `admin`.
    @discardableResult
    public func powerUp() async throws(SwipeClientError) -> String? {
        try await ask(.activate)
    }

    /// Stop powering the reader up; the attempt ends as `cancelled`. Needs a claim, or the role `admin`.
    @discardableResult
    public func cancelPowerUp() async throws(SwipeClientError) -> String? {
        try await ask(.cancelActivation)
    }

    /// Answer a prompt: one of its `Prompt.answers`. Needs a claim, or the role `admin`.
    @discardableResult
    public func answer(_ prompt: Prompt, _ answer: String) async throws(SwipeClientError) -> String? {
        try await ask(.answerPrompt(id: prompt.id, answer: answer))
    }

    /// Say which kind of reader is at this sound input; the daemon unloads the driver of the old one. Needs a claim, or
    /// the role `admin`.
    @discardableResult
    public func setAudioReader(_ type: AudioReaderType) async throws(SwipeClientError) -> String? {
        try await ask(.setAudioReader(type))
    }

    /// Find out which kind of reader is at this sound input. It is slow and plays loud tones, as the warning says: show it, so
    /// that people take a headphone off. Needs a claim, or the role `admin`.
    @discardableResult
    public func beginAutodetect() async throws(SwipeClientError) -> String? {
        try await ask(.autodetect)
    }

    /// Power the reader down. The warning says where its settings power it up again at once. Needs a claim, or the role
    /// `admin`.
    @discardableResult
    public func powerDown() async throws(SwipeClientError) -> String? {
        try await ask(.deactivate)
    }

    /// Ask the reader whether it is there. The warning tells of the tone. Needs a claim, or the role `admin`.
    @discardableResult
    public func testCommunication() async throws(SwipeClientError) -> String? {
        try await ask(.testCommunication)
    }

    /// Change how the reader behaves: whether it always accepts swipes, is powered up when it is plugged in, and so on.
    /// It holds until the daemon or its configuration is loaded anew. Needs a claim, or the role `admin`.
    @discardableResult
    public func set(_ settings: ReaderSettings) async throws(SwipeClientError) -> String? {
        try await ask(.set(settings))
    }

    /// How the reader behaves now, where it is at a sound input. Needs no claim.
    public func settings() async throws(SwipeClientError) -> SettingsInForce {
        try await client.settings(of: id)
    }

    /// - Returns: something to tell people, in the daemon's words; nil where there is nothing.
    private func ask(_ request: ControlRequest) async throws(SwipeClientError) -> String? {
        try await client.control(request, reader: id).object?["warning"]?.string
    }
}
