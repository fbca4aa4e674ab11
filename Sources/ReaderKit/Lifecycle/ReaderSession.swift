/// Pumps one transport through one driver, and keeps the reader's lifecycle.
///
/// Why an actor and not a mailbox: inputs, timers and failed commands come from three tasks and must meet the
/// driver one at a time; an actor gives that without one more queue between a report and its event. Commands do
/// have a queue of their own, because a mute reader may hold one for five seconds while its reports go on.
package actor ReaderSession<Driver: ReaderDriver> {
    /// Hears of the reader's steps, in order. Called on the actor; must not block.
    package typealias Sink = @Sendable (ReaderStep, ReaderDetails) -> Void

    private var driver: Driver
    private var lifecycle: ReaderLifecycle
    private let transport: any ReaderTransport<Driver.Input>
    private let sink: Sink
    private var commands = CommandQueue()
    /// Whether the driver is being told that a command found no room.
    private var isRefusing = false
    /// Wakes the task that sends commands. One wake is enough, however many wait.
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private var timer: Task<Void, Never>?
    /// The timer ran out: its driver hears of it once as many inputs are handled as had come by then.
    private var overdue: Int?
    private var handledInputs = 0
    private var askers: [UInt64: CheckedContinuation<Result<PropertyValue, PropertyError>, Never>] = [:]
    private var lastToken: UInt64 = 0
    private var end: DeviceError?

    /// - Parameter lifecycle: the attachment; it may have been introduced by an earlier session.
    package init(
        driver: Driver, transport: any ReaderTransport<Driver.Input>, lifecycle: ReaderLifecycle,
        sink: @escaping Sink
    ) {
        self.driver = driver
        self.transport = transport
        self.lifecycle = lifecycle
        self.sink = sink
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs until the device is gone, fails, or the transport is closed from outside.
    ///
    /// - Returns: the error that ended it, and the lifecycle, for the owner to end or to go on with.
    package func run() async -> (DeviceError, ReaderLifecycle) {
        let sender = Task { await sendCommands() }
        perform(driver.start())
        let introduction = introduceSoon()
        let error = await receiveInputs()
        if error == .gone { perform(driver.inputsEnded()) }
        end = error
        introduction?.cancel()
        timer?.cancel()
        wake.finish()
        sender.cancel()
        await transport.close()
        for asker in askers.values { asker.resume(returning: .failure(.device(error))) }
        askers.removeAll()
        return (error, lifecycle)
    }

    /// Reads a property of the reader, or sets it where `newValue` is given.
    package func property(_ name: String, newValue: PropertyValue?) async -> Result<
        PropertyValue, PropertyError
    > {
        if let end { return .failure(.device(end)) }
        lastToken &+= 1
        let request = PropertyRequest(token: lastToken, name: name, newValue: newValue)
        return await withCheckedContinuation { asker in
            askers[request.token] = asker
            perform(driver.property(request))
        }
    }

    /// Hands what the claimant asks to the driver.
    package func request(_ request: ReaderRequest) -> RequestOutcome {
        guard end == nil else { return .refused(RequestRefusal(.gone, "the reader is gone")) }
        let (outcome, actions) = driver.request(request)
        if case (.testCommunication, .accepted) = (request, outcome) { lifecycle.testBegan() }
        perform(actions)
        return outcome
    }

    /// Introduces the reader now, or once it has had the time to tell about itself.
    private func introduceSoon() -> Task<Void, Never>? {
        guard let grace = Driver.identificationGrace else {
            announce(lifecycle.introduce())
            return nil
        }
        return Task {
            do { try await Task.sleep(for: grace) } catch { return }
            if end == nil { announce(lifecycle.introduce()) }
        }
    }

    private func receiveInputs() async -> DeviceError {
        var (lost, lostBefore) = (0, 0)
        while true {
            do throws(DeviceError) {
                let input = try await transport.receive()
                // Where the gap is, not where it is noticed: up to a queue of inputs came before it.
                if transport.lostBeforeLastInput > lostBefore { perform(driver.inputsLost()) }
                lostBefore = transport.lostBeforeLastInput
                handledInputs += 1
                perform(driver.receive(input))
                fireOverdueTimer()
                let lostByNow = transport.lostInputs
                if lostByNow > lost { announce(lifecycle.received(.overrun(count: lostByNow - lost))) }
                lost = lostByNow
                // A device that sends without end has an executor to share like everybody.
                await Task.yield()
            } catch {
                return error
            }
        }
    }

    private func sendCommands() async {
        for await _ in wakes {
            while end == nil, let command = commands.takeFirst() {
                do throws(DeviceError) {
                    try await transport.send(command)
                } catch {
                    failed(command, error)
                }
            }
        }
    }

    /// A volume that stays up is told, and the transport tries again when it closes. The driver hears nothing of it: it may be
    /// in its next life by now, which that does not concern.
    private func failed(_ command: TransportCommand, _ error: DeviceError) {
        guard command == .sound(.restoreVolume) else { return perform(driver.commandFailed(command, error)) }
        guard end == nil else { return }
        announce(lifecycle.received(.malformed("the volume could not be put back: \(error)")))
    }

    /// A mute reader may hold a command beyond the session's end; what comes of it then is nobody's.
    private func perform(_ actions: [DriverAction]) {
        guard end == nil else { return }
        var refused: [TransportCommand] = []
        for action in actions {
            switch action {
            case .command(let command):
                if commands.add(command) { wake.yield() } else { refused.append(command) }
            case .startTimer(let duration): startTimer(duration)
            case .stopTimer: stopTimer()
            case .signal(.property(let reply)):
                askers.removeValue(forKey: reply.token)?.resume(returning: reply.outcome)
            case .signal(let signal): announce(lifecycle.received(signal))
            }
        }
        refused.forEach(refuse)
    }

    /// A command that found no room has failed, and its driver hears of it: somebody may be waiting for the answer.
    /// What the driver sends in its turn and finds no room either is only announced, or the two could go on for ever.
    private func refuse(_ command: TransportCommand) {
        let why = "more than \(CommandQueue.room) commands wait"
        announce(lifecycle.received(.malformed(why)))
        guard !isRefusing else { return }
        isRefusing = true
        defer { isRefusing = false }
        perform(driver.commandFailed(command, .busy(detail: why)))
    }

    private func announce(_ steps: [ReaderStep]) {
        for step in steps { sink(step, lifecycle.details) }
    }

    private func startTimer(_ duration: Duration) {
        stopTimer()
        timer = Task {
            do { try await Task.sleep(for: duration) } catch { return }
            await transport.fetchArrived()
            // What came meanwhile may have moved it.
            guard !Task.isCancelled else { return }
            overdue = transport.arrivedInputs
            fireOverdueTimer()
        }
    }

    private func stopTimer() {
        timer?.cancel()
        overdue = nil
    }

    /// On a machine that was busy, what came in time may be handled after the timer has run out. It is heard first, and may
    /// move or stop the timer. What comes from then on delays it no further, however much a device sends.
    private func fireOverdueTimer() {
        guard let due = overdue, handledInputs >= due else { return }
        overdue = nil
        perform(driver.timerFired())
    }
}
