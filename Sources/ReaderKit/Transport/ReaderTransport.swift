/// The only thing that touches Linux: a device opened for reading and for commands.
package protocol ReaderTransport<Input>: Sendable {
    associatedtype Input: Sendable
    /// The next input. Throws ``DeviceError/gone`` after an unplug and ``DeviceError/closed`` after ``close()``.
    func receive() async throws(DeviceError) -> Input
    /// Hands a command to the device. A feature report's answer arrives through ``receive()``.
    func send(_ command: TransportCommand) async throws(DeviceError)
    /// Gives the device back. Explicit, never from a deinit; may be called twice.
    func close() async
    /// The device is known to be gone: what it sent by now is still given, then ``DeviceError/gone``. As ``close()`` otherwise.
    func unplugged() async
    /// Returns once what the device had sent by then is among ``arrivedInputs``: who concludes something from a silence has to know that
    /// it was one, and not this process that was stopped.
    func fetchArrived() async
    /// How many inputs came so far that ``receive()`` gave or will give, unless the transport is closed before.
    var arrivedInputs: Int { get }
    /// How many inputs were dropped so far because nobody fetched them in time.
    var lostInputs: Int { get }
    /// How many of these came before the input that ``receive()`` gave last: those behind it may be lost already.
    var lostBeforeLastInput: Int { get }
}

extension ReaderTransport {
    /// Most readers' swipes are told as soon as they are whole: what is still on its way is half of one.
    package func unplugged() async { await close() }
    /// Most readers' swipes end with what they send, and not with silence.
    package func fetchArrived() async {}
    /// A transport that does not count says that nothing waits.
    package var arrivedInputs: Int { 0 }
    /// Transports that let their device wait lose nothing; those of sound tell of it with the sound.
    package var lostInputs: Int { 0 }
    package var lostBeforeLastInput: Int { 0 }
}
