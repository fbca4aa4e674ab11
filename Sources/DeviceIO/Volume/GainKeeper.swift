package import ReaderKit
import Synchronization

/// Sets the gain of one card's input and puts back what was set before. Everything is done on threads of its own: a mixer
/// may hang, and a reader must not with it. So no call takes longer than ``patience``; what the thread does then is written down.
package final class GainKeeper: Sendable {
    /// What the card says of its gain.
    package struct Gain: Sendable, Hashable {
        /// 0…100 of its range; 0 where it is switched off.
        package var percent: Int
        /// How many decibels lie between 0 and 100; nil where the card does not say.
        package var rangeDecibels: Int?
    }

    private struct State {
        var keeper: VolumeKeeper
        /// A thread works with the keeper: one at a time.
        var isAtWork = false
        /// Threads that have not ended; one that hangs must not gather others behind it.
        var threads = 0
        var isEnded = false
    }

    /// How long a mixer may take before nobody waits for it any more.
    static let patience = Duration.seconds(2)
    private static let maximumThreads = 2

    private let configuration: VolumeConfiguration
    private let state: Guarded<State>
    private let isAsked = Guarded(false)

    /// - Parameter configuration: of the capture's side.
    package init(_ configuration: VolumeConfiguration) {
        self.configuration = configuration
        state = Guarded(State(keeper: VolumeKeeper(configuration)))
    }

    /// - Returns: why it could not be set; nil where it was.
    package func set(percent: Int) async -> DeviceError? {
        await work { keeper throws(DeviceError) in try keeper.set(percent: percent) }
    }

    /// Puts back what was set before; does nothing where nothing was set.
    ///
    /// - Returns: why it could not be put back: its record stays for the next start.
    package func putBack() async -> DeviceError? {
        await work { keeper throws(DeviceError) in try keeper.putBack() }
    }

    /// Puts back what an earlier run left changed.
    ///
    /// - Returns: why it could not be put back; nil where it was, or there is nothing to put back.
    package func restore() async -> DeviceError? {
        await work { [configuration] _ throws(DeviceError) in
            if let failure = VolumeRecords.restoreNow(configuration) { throw failure }
        }
    }

    /// Puts back what was set, and nothing is set any more.
    package func end() async -> DeviceError? {
        let failure = await work(isLast: true) { keeper throws(DeviceError) in try keeper.putBack() }
        return failure == .closed ? nil : failure
    }

    /// What the card says; nil where it says nothing, or did not answer the last question yet.
    package func now() async -> Gain? {
        let isFree = isAsked.change { asked -> Bool in
            defer { asked = true }
            return !asked
        }
        guard isFree else { return nil }
        return await Self.patiently(else: nil) { [configuration, isAsked] in
            let gain: Gain?? = await VolumeRecords.onThread {
                do throws(DeviceError) {
                    let mixer = try MixerHandle(configuration)
                    return Gain(percent: mixer.percent(), rangeDecibels: mixer.decibels())
                } catch {
                    return nil
                }
            }
            isAsked.change { $0 = false }
            return gain ?? nil
        }
    }

    /// What `work` gives, or `late` where it takes too long.
    private static func patiently<Outcome: Sendable>(
        else late: Outcome, _ work: @escaping @Sendable () async -> Outcome
    ) async -> Outcome {
        await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            let answer = Answer(continuation)
            Task { answer.give(await work()) }
            Task {
                try? await Task.sleep(for: patience)
                answer.give(late)
            }
        }
    }

    /// The first one counts.
    private final class Answer<Outcome: Sendable>: Sendable {
        private let continuation: CheckedContinuation<Outcome, Never>
        private let isGiven = Atomic(false)

        init(_ continuation: CheckedContinuation<Outcome, Never>) { self.continuation = continuation }

        func give(_ outcome: Outcome) {
            if !isGiven.exchange(true, ordering: .relaxed) { continuation.resume(returning: outcome) }
        }
    }

    /// Works with the keeper, alone.
    private func work(
        isLast: Bool = false,
        _ body: @escaping @Sendable (inout VolumeKeeper) throws(DeviceError) -> Void
    ) async -> DeviceError? {
        let hasRoom = state.change { state -> Bool in
            guard state.threads < Self.maximumThreads else { return false }
            state.threads += 1
            return true
        }
        guard hasRoom else { return .timedOut }
        return await Self.patiently(else: .timedOut) { [state] in
            let outcome: DeviceError?? = await VolumeRecords.onThread { Self.work(state, isLast, body) }
            state.change { $0.threads -= 1 }
            return outcome ?? .system(errno: 0, operation: "starting a thread")
        }
    }

    /// On a thread, which may block.
    private static func work(
        _ state: Guarded<State>, _ isLast: Bool, _ body: (inout VolumeKeeper) throws(DeviceError) -> Void
    ) -> DeviceError? {
        let begun = state.wait { state -> VolumeKeeper?? in
            if state.isAtWork { return nil }
            if state.isEnded { return .some(nil) }
            (state.isAtWork, state.isEnded) = (true, isLast)
            return state.keeper
        }
        guard var keeper = begun else { return .closed }
        var failure: DeviceError?
        do throws(DeviceError) { try body(&keeper) } catch { failure = error }
        let kept = keeper
        state.change { ($0.keeper, $0.isAtWork) = (kept, false) }
        return failure
    }
}
