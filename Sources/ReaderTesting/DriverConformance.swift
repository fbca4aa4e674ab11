package import ReaderKit

/// What every HID driver must do, whatever its reader: the rules that sessions and clients rely on. A driver from
/// outside this package proves itself with it as well.
package enum DriverConformance {
    /// A rule that a driver broke.
    package struct Violation: Sendable, Hashable, CustomStringConvertible {
        package var rule: String
        package var description: String { rule }
    }

    /// Reports of these sizes are thrown at a driver, empty ones and enormous ones among them.
    private static let reportLengths = [
        0, 1, 7, 8, 9, 63, 64, 336, 337, 338, 509, 512, 856, 887, 931, 4096, 16_384,
    ]

    /// Runs a driver through everything that may happen to it.
    package static func violations<Driver: ReaderDriver>(
        of driver: Driver.Type, on device: DeviceIdentity
    ) -> [Violation] where Driver.Input == HIDReport {
        var found: [Violation] = []
        check(
            !driver.descriptor.name.isEmpty && !driver.descriptor.kind.isEmpty, "has a name and a kind",
            &found)
        check(!driver.descriptor.matches.isEmpty, "matches some device", &found)
        startIsComplete(driver, device, &found)
        muteReaderIsReady(driver, device, &found)
        junkMakesNoSwipe(driver, device, &found)
        everyRequestIsAnswered(driver, device, &found)
        return found
    }

    private static func check(_ holds: Bool, _ rule: String, _ found: inout [Violation]) {
        if !holds { found.append(Violation(rule: rule)) }
    }

    private static func signals(_ actions: [DriverAction]) -> [ReaderSignal] {
        actions.compactMap { if case .signal(let signal) = $0 { signal } else { nil } }
    }

    private static func commands(_ actions: [DriverAction]) -> Int {
        actions.count { if case .command = $0 { true } else { false } }
    }

    /// It says what it is, then how its activation went, then that it is ready: at once, in this order.
    private static func startIsComplete<Driver: ReaderDriver>(
        _ driver: Driver.Type, _ device: DeviceIdentity, _ found: inout [Violation]
    ) where Driver.Input == HIDReport {
        var reader = Driver(device)
        let signals = signals(reader.start())
        guard Driver.isReadyUnasked else {
            return check(!signals.contains(.ready(expiresIn: nil)), "is asked before it is ready", &found)
        }
        guard case .identified(let details)? = signals.first else {
            return check(false, "identifies itself first", &found)
        }
        check(!details.model.isEmpty, "names a model", &found)
        check(signals.contains(.activated(.success)), "is active at once", &found)
        check(signals.contains(.ready(expiresIn: nil)), "is ready at once", &found)
    }

    /// No answer, an error or silence takes readiness away, and commands come to an end.
    private static func muteReaderIsReady<Driver: ReaderDriver>(
        _ driver: Driver.Type, _ device: DeviceIdentity, _ found: inout [Violation]
    ) where Driver.Input == HIDReport {
        guard Driver.isReadyUnasked else { return }
        for error in [DeviceError.timedOut, .refused, .system(errno: 32, operation: "feature")] {
            var reader = Driver(device)
            var pending = commands(reader.start())
            var rounds = 0
            while pending > 0, rounds < 1000 {
                rounds += 1
                let answer = reader.commandFailed(error) + reader.timerFired()
                pending = commands(answer)
                let isUnready = signals(answer).contains { if case .unready = $0 { true } else { false } }
                check(!isUnready, "stays ready when the reader does not answer", &found)
            }
            check(rounds < 1000, "stops asking a reader that does not answer", &found)
        }
    }

    /// Reports of every size and fill: no trap, and never a card.
    private static func junkMakesNoSwipe<Driver: ReaderDriver>(
        _ driver: Driver.Type, _ device: DeviceIdentity, _ found: inout [Violation]
    ) where Driver.Input == HIDReport {
        var reader = Driver(device)
        _ = reader.start()
        for length in reportLengths {
            for fill in [UInt8(0x00), 0x01, 0x02, 0x25, 0x30, 0x3F, 0x7F, 0x80, 0xFF] {
                let bytes = Array(repeating: fill, count: length)
                for identifier in [UInt8(0), 1, 2, 255] {
                    for kind in [HIDReport.Kind.input, .feature] {
                        let actions = reader.receive(HIDReport(kind: kind, id: identifier, bytes: bytes))
                        let hasCard = signals(actions).contains { signal in
                            if case .swiped(let swipe) = signal { swipe.card != nil } else { false }
                        }
                        check(!hasCard, "makes no card of \(length) bytes \(fill)", &found)
                    }
                }
            }
            _ = reader.timerFired()
        }
    }

    /// One reply for each request, if only that the name is unknown or that the reader did not answer.
    private static func everyRequestIsAnswered<Driver: ReaderDriver>(
        _ driver: Driver.Type, _ device: DeviceIdentity, _ found: inout [Violation]
    ) where Driver.Input == HIDReport {
        var reader = Driver(device)
        _ = reader.start()
        var answered: [UInt64] = []
        func note(_ actions: [DriverAction]) {
            for case .property(let reply) in signals(actions) { answered.append(reply.token) }
        }
        let names = driver.properties.map(\.name) + ["no such property"]
        for (token, name) in names.enumerated() {
            note(reader.property(PropertyRequest(token: UInt64(token), name: name)))
        }
        for _ in 0..<1000 where answered.count < names.count { note(reader.timerFired()) }
        check(answered.sorted() == (0..<UInt64(names.count)).map { $0 }, "answers every request once", &found)
        check(
            Set(driver.properties.map(\.name)).count == driver.properties.count, "names no property twice",
            &found)
    }
}
