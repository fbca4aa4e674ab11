/// What is known of a reader: what `readers` and a snapshot list, and what a `connect` event carries.
public struct ReaderInfo: Sendable, Hashable {
    /// The stable id: from the serial number, else from the port.
    public var id: String
    /// What the configuration calls it, for people; clients may take it in place of the id.
    public var name: String?
    /// The kind of reader: `magtek`, `idtech`, `passive`, …
    public var kind: String
    /// The model's name, for people.
    public var model: String
    /// The serial number, where the reader has one.
    public var serial: String?
    /// The firmware, where the reader tells.
    public var firmware: String?
    /// How it is attached.
    public var bus: ReaderBus
    /// The physical place, which survives a replug.
    public var port: String?
    /// How one that types like a keyboard is kept from typing into the focus; nil for every other, and while it is not held.
    public var held: ReaderHold?
    /// Whether it encrypts.
    public var encryption: ReaderEncryption
    /// What it is doing.
    public var state: ReaderState
    /// Counts the physical attachments of this reader, from 1.
    public var attachment: UInt64
    /// Why it is in a state that needs somebody: words for an operator.
    public var detail: String?
    /// When the current request for a swipe ends by itself; nil when it does not, or there is none.
    public var expiresAt: WallTime?
    /// The question or message that is open now.
    public var prompt: Prompt?
    /// Who has claimed it.
    public var claimedBy: Claimant?
    /// Whether it is a virtual reader. Only there when true.
    public var isSimulated: Bool

    /// What is known of a reader.
    public init(
        id: String, kind: String, model: String, serial: String? = nil, firmware: String? = nil,
        bus: ReaderBus,
        port: String? = nil, encryption: ReaderEncryption = .unknown, state: ReaderState,
        attachment: UInt64 = 1,
        detail: String? = nil, expiresAt: WallTime? = nil, prompt: Prompt? = nil, claimedBy: Claimant? = nil,
        isSimulated: Bool = false, name: String? = nil, held: ReaderHold? = nil
    ) {
        self.held = held
        self.name = name
        self.prompt = prompt
        self.id = id
        self.kind = kind
        self.model = model
        self.serial = serial
        self.firmware = firmware
        self.bus = bus
        self.port = port
        self.encryption = encryption
        self.state = state
        self.attachment = attachment
        self.detail = detail
        self.expiresAt = expiresAt
        self.claimedBy = claimedBy
        self.isSimulated = isSimulated
    }
}

extension ReaderInfo {
    /// Whether something is plugged in: true of every reader that is listed. At a headset jack it may be a headphone.
    public var isConnected: Bool { true }
    /// Whether it is powered up and answers.
    public var isActivated: Bool { state == .active || isReadyForSwipe }
    /// Whether a card that is swiped now is read.
    public var isReadyForSwipe: Bool { state == .ready || state == .reading }
}

/// How a reader is attached.
public enum ReaderBus: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// USB HID, Bluetooth HID, a HID device of another kind (or what this version does not know), a sound input, a serial line.
    case usb, bluetooth, other, audio, serial

    package static var unrecognized: ReaderBus { .other }
}

/// How a reader that types is kept from typing into the focus. What is no word of this version says nothing.
public enum ReaderHold: String, Sendable, Hashable, CaseIterable, LaterWord {
    /// By the daemon: it types into the focus again once the daemon is away.
    case grabbed
    /// By the system, which lets none of its keys pass: it types nothing, also while the daemon is away.
    case inhibited
}

/// Whether a reader encrypts.
public enum ReaderEncryption: String, Sendable, Hashable, CaseIterable, OpenWord {
    /// It has not said yet, or never does; or the word is one that this version does not know.
    case unknown
    /// It sends tracks in clear.
    case clear
    /// It encrypts in the head.
    case encrypted
    /// It should encrypt and has used up its key.
    case keyExhausted = "key_exhausted"
    /// It should encrypt and has no key.
    case noKey = "no_key"

    package static var unrecognized: ReaderEncryption { .unknown }
}

/// What a reader is doing. A state that this version does not know is read as the one of `ready`, `active` and
/// `connected` that it amounts to: the daemon says of each reader whether it is powered up and whether it accepts swipes.
public enum ReaderState: String, Sendable, Hashable, CaseIterable, LaterWord {
    /// Attached; not powered up, or not opened yet.
    case connected
    /// Being opened and powered up.
    case activating
    /// Powered up; does not accept swipes.
    case active
    /// Accepts swipes.
    case ready
    /// A card is passing the head.
    case reading
    /// Its type is being found out.
    case autodetecting
    /// It slept with the machine, and is being woken.
    case suspended
    /// It cannot be used now, and is tried again; `detail` says why.
    case failed
    /// Recognised and not usable; `detail` says what to do.
    case unsupported
}

/// Who holds a claim.
public struct Claimant: Sendable, Hashable {
    /// The user id of the peer.
    public var uid: UInt32
    /// The process id of the peer when it connected.
    public var pid: Int
    /// The daemon's number for the connection; 0 while the holder is away and its swipe is held for it.
    public var connection: UInt64

    /// Names a holder.
    public init(uid: UInt32, pid: Int, connection: UInt64) {
        self.uid = uid
        self.pid = pid
        self.connection = connection
    }
}

extension Claimant: WireObject {
    package static var blank: Claimant { Claimant(uid: 0, pid: 0, connection: 0) }
    package static var definition: String? { "claimant" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("uid", &uid)
        try fields.required("pid", &pid, as: AnyInteger.self)
        try fields.required("connection", &connection)
    }
}

extension ReaderInfo: WireObject {
    package static var blank: ReaderInfo {
        ReaderInfo(id: "", kind: "", model: "", bus: .other, state: .connected)
    }
    package static var definition: String? { "reader" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("id", &id)
        try fields.optional("name", &name)
        try fields.required("kind", &kind)
        try fields.required("model", &model)
        try fields.orNull("serial", &serial)
        try fields.optional("firmware", &firmware)
        try fields.required("bus", &bus)
        try fields.optional("port", &port)
        try fields.optional("held", &held)
        try fields.required("encryption", &encryption)
        try fields.usual("state", &state)
        try fields.derived("is_connected", isConnected)
        try fields.derived("is_activated", isActivated)
        try fields.derived("is_ready_for_swipe", isReadyForSwipe)
        try fields.required("attachment", &attachment)
        try fields.optional("detail", &detail)
        try fields.optional("expires_at", &expiresAt)
        try fields.optional("prompt", &prompt)
        try fields.optional("claimed_by", &claimedBy)
        try fields.flag("simulated", &isSimulated)
    }

    package init(json: JSONValue) throws(WireError) {
        self = .blank
        try read(json)
        // A state of a later version is what it amounts to.
        let object = try JSONObject(json: json)
        guard object["state"]?.string.flatMap(ReaderState.init(rawValue:)) == nil else { return }
        if try object.required("is_ready_for_swipe") {
            state = .ready
        } else {
            state = try object.required("is_activated") ? .active : .connected
        }
    }
}
