import DeviceIO
import ReaderKit
import SwipeProtocol

/// The gain of one sound input: what the configuration says, or what a client has set since. Where neither says anything,
/// nothing is touched.
///
/// A mixer may take its time, or hang. So a gain is set and put back in turns, one after the other, and what opens a card or watches a jack
/// waits for none of them: only a client's own request does.
actor InputGain {
    /// Clients whose turn has not come. More than one reader has.
    private static let maximumWaiting = 16

    private let keeper: GainKeeper?
    private let configured: Int?
    private let complain: @Sendable (DeviceError) -> Void
    /// What a client has set.
    private var chosen: Int?
    /// A reader has the card: what is wanted is set, else put back.
    private var isInUse = false
    private var isEnded = false
    /// A turn that looks at what is wanted has been given and has not begun.
    private var isDue = false
    private var waiting = 0
    private var lastTurn: Task<Void, Never>?

    /// - Parameters:
    ///   - previous: the end of what had the card before, which comes first.
    ///   - complain: told why a gain could not be set or put back, where no client hears it.
    init(
        _ gain: VolumeConfiguration?, configured: Int?, after previous: Task<Void, Never>? = nil,
        complain: @escaping @Sendable (DeviceError) -> Void
    ) {
        keeper = gain.map { GainKeeper($0) }
        self.configured = configured
        self.complain = complain
        lastTurn = previous
    }

    /// What is to be set; nil: it is left alone.
    private var wanted: Int? { chosen ?? configured }

    // MARK: What is not waited for

    /// A daemon that was killed may have left it changed.
    func restore() {
        _ = turn { [keeper, complain] in
            if let failure = await keeper?.restore(), failure != .closed { complain(failure) }
        }
    }

    /// The card is open, and a reader has it.
    func begin() {
        isInUse = true
        look()
    }

    /// The reader is gone: the input is whoever's.
    func release() {
        isInUse = false
        look()
    }

    /// The configuration was loaded anew: what a client has set ends.
    func reset() {
        guard chosen != nil else { return }
        chosen = nil
        look()
    }

    /// The same for good. A card that was pulled out cannot be asked: what was set before is put back when it comes again.
    ///
    /// - Returns: what ends once that is done, or nobody waits for the mixer any more.
    func end(_ reason: DetachReason) -> Task<Void, Never> {
        (isInUse, isEnded) = (false, true)
        return Task { [keeper, complain] in
            if let failure = await keeper?.end(), reason != .unplugged { complain(failure) }
        }
    }

    // MARK: What clients ask

    /// - Returns: why it could not be set, and stays as it was.
    func set(_ percent: Int) async -> DeviceError? {
        guard waiting < Self.maximumWaiting else { return .timedOut }
        waiting += 1
        defer { waiting -= 1 }
        return await turn { await self.choose(percent) }.value
    }

    /// What is in force now, and how many decibels the range has.
    func inForce() async -> (gain: SettingInForce<Int>?, rangeDecibels: Int?) {
        await lastTurn?.value
        let now = await keeper?.now()
        guard let value = now?.percent ?? wanted else { return (nil, nil) }
        let origin: SettingSource = chosen != nil ? .set : configured != nil ? .configuration : .card
        return (SettingInForce(value, from: origin), now?.rangeDecibels)
    }

    // MARK: Turns

    private func turn<Outcome: Sendable>(
        _ work: @escaping @Sendable () async -> Outcome
    ) -> Task<Outcome, Never> {
        let previous = lastTurn
        let turn = Task {
            await previous?.value
            return await work()
        }
        lastTurn = Task { _ = await turn.value }
        return turn
    }

    /// Sees to it that the card has what it should, in a turn. One that has not begun yet does for all.
    private func look() {
        guard !isDue, !isEnded else { return }
        isDue = true
        _ = turn { await self.looked() }
    }

    private func looked() async {
        isDue = false
        if let failure = await apply(), !isEnded { complain(failure) }
    }

    private func choose(_ percent: Int) async -> DeviceError? {
        let before = chosen
        chosen = percent
        guard isInUse, let failure = await apply() else { return nil }
        // The configuration may have been loaded anew meanwhile.
        if chosen == percent { chosen = before }
        // The card may have taken some of it.
        _ = await apply()
        return failure
    }

    private func apply() async -> DeviceError? {
        guard let keeper else {
            return isInUse && wanted != nil ? .mixerMissing(detail: "the card has no gain") : nil
        }
        guard isInUse, let percent = wanted else { return await keeper.putBack() }
        return await keeper.set(percent: percent)
    }
}
