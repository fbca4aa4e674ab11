import Synchronization

/// Something that goes wrong between a client and the service.
package enum Fault: Sendable, Hashable, CaseIterable {
    /// The connection is cut before anything was done. After it was done, without an answer.
    case cutBefore, cutAfter
    /// A 503 and nothing was done. A 500 although everything was.
    case failBefore, failAfter
    /// The request waits before it is done; the answer waits after. Longer than the client does, where it is impatient.
    case lateBefore, lateAfter
    /// The answer is cut off in its middle.
    case garbage
}

/// Which requests go wrong, and how: a sequence that depends on its seed alone.
package final class FaultPlan: Sendable {
    /// How many of a thousand requests go wrong.
    private let perMille: Int
    /// How long late requests are late.
    let delay: Duration
    private let state: Mutex<UInt64>

    package init(seed: UInt64, perMille: Int, delay: Duration = .milliseconds(300)) {
        self.perMille = perMille
        self.delay = delay
        state = Mutex(seed)
    }

    /// Nothing goes wrong.
    package static let none = FaultPlan(seed: 0, perMille: 0)

    /// What happens to the next request; nil for nothing.
    func next() -> Fault? {
        guard perMille > 0 else { return nil }
        let (roll, choice) = state.withLock { (Self.draw(&$0), Self.draw(&$0)) }
        guard Int(roll % 1000) < perMille else { return nil }
        return Fault.allCases[Int(choice % UInt64(Fault.allCases.count))]
    }

    /// SplitMix64.
    private static func draw(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
