/// A kind of reader: a value that turns inputs into actions. No I/O, no sleep, no clock.
///
/// Adding a reader means one such value, one line in the catalogue and one folder of vectors.
package protocol ReaderDriver<Input>: Sendable {
    /// ``HIDReport``, ``SerialBytes``, ``KeyInput`` or ``SampleBlock``: the catalogue is typed by it, so a HID driver cannot be handed samples.
    associatedtype Input: Sendable
    /// What the driver is called and which devices it takes: data.
    static var descriptor: DriverDescriptor { get }
    /// How long `connect` may wait for the driver's ``ReaderSignal/identified(_:)``; nil where the reader cannot be
    /// asked, or its answer comes from ``start()`` itself.
    static var identificationGrace: Duration? { get }
    /// Whether it takes swipes without having been asked to; one that must be asked is ready once it has answered.
    static var isReadyUnasked: Bool { get }
    /// What the transport says to the device last of all, when it is closed while the device is there: a driver is not asked then.
    static func lastWords(for device: DeviceIdentity) -> [TransportCommand]
    init(_ device: DeviceIdentity)
    /// The same for readers whose behaviour can be chosen; the others look at the device alone.
    init(_ device: DeviceIdentity, options: ReaderOptions)
    /// The transport is open.
    mutating func start() -> [DriverAction]
    mutating func receive(_ input: Input) -> [DriverAction]
    /// Inputs were lost between the one received last and the next one: what is gathered from several cannot be completed.
    /// Clients are told of the loss by the session.
    mutating func inputsLost() -> [DriverAction]
    /// The device is gone, and no input comes any more: a swipe that only waited for its end is told now. Commands reach nobody.
    mutating func inputsEnded() -> [DriverAction]
    /// The driver's one timer ran out, and what had come by then was received.
    mutating func timerFired() -> [DriverAction]
    /// The transport refused or lost the last command.
    mutating func commandFailed(_ error: DeviceError) -> [DriverAction]
    /// The same, with the command: for drivers that have several under way.
    mutating func commandFailed(_ command: TransportCommand, _ error: DeviceError) -> [DriverAction]
    /// The properties that ``property(_:)`` knows.
    static var properties: [PropertyDescriptor] { get }
    /// A client wants to read or set a property; the answer is a ``ReaderSignal/property(_:)`` now or later.
    mutating func property(_ request: PropertyRequest) -> [DriverAction]
    /// Whoever holds the claim asks for something: what becomes of it now, and what is to be done.
    mutating func request(_ request: ReaderRequest) -> (RequestOutcome, [DriverAction])
}

extension ReaderDriver {
    package static var identificationGrace: Duration? { nil }

    package static var isReadyUnasked: Bool { true }

    package static func lastWords(for device: DeviceIdentity) -> [TransportCommand] { [] }

    package init(_ device: DeviceIdentity, options: ReaderOptions) { self.init(device) }

    /// Most drivers take each input by itself, or see by it that others are missing.
    package mutating func inputsLost() -> [DriverAction] { [] }

    /// Most drivers tell a swipe as soon as it is whole.
    package mutating func inputsEnded() -> [DriverAction] { [] }

    /// Most drivers have one command under way, and know which.
    package mutating func commandFailed(_ command: TransportCommand, _ error: DeviceError) -> [DriverAction] {
        commandFailed(error)
    }

    /// A reader that is active and ready for as long as it is plugged in can be asked for nothing.
    package mutating func request(_ request: ReaderRequest) -> (RequestOutcome, [DriverAction]) {
        (.refused(.alwaysReady(Self.descriptor.kind)), [])
    }

    /// Most audio readers keep no properties.
    package static var properties: [PropertyDescriptor] { [] }

    package mutating func property(_ request: PropertyRequest) -> [DriverAction] {
        let reply = PropertyReply(token: request.token, name: request.name, outcome: .failure(.unknown))
        return [.signal(.property(reply))]
    }
}
