import DeviceIO
import Logging
import ReaderKit
import SwipeProtocol

/// The gain of one sound input: what the configuration says, or what a client has set since. Where neither says anything,
/// nothing is touched.
struct InputGain {
    let keeper: GainKeeper?
    let configured: Int?
    /// What a client has set.
    private(set) var chosen: Int?

    init(_ input: AudioInput) {
        keeper = input.gain.map { GainKeeper($0) }
        configured = input.setup.gain
    }

    /// What is to be set; nil: it is left alone.
    var wanted: Int? { chosen ?? configured }

    /// - Returns: whether something changes.
    mutating func choose(_ percent: Int?) -> Bool {
        defer { chosen = percent }
        return chosen != percent
    }

    /// For `get`.
    func inForce(_ now: GainKeeper.Gain?) -> SettingInForce<Int>? {
        guard let value = now?.percent ?? wanted else { return nil }
        return SettingInForce(
            value, from: chosen != nil ? .set : configured != nil ? .configuration : .card)
    }
}

extension AudioPort {
    /// Sets what is wanted at a card that is open, or puts back what was set before.
    func applyGain() async -> DeviceError? {
        guard let keeper = gain.keeper else {
            return gain.wanted == nil ? nil : .mixerMissing(detail: "the card has no gain")
        }
        guard let percent = gain.wanted else { return await keeper.putBack() }
        let failure = await keeper.set(percent: percent)
        // It went meanwhile, and what is put back then had not been set.
        return hasReader ? failure : await keeper.putBack()
    }

    /// The same where no client hears how it ended.
    func applyGainOrTell() async {
        guard hasReader else { return }
        if let failure = await applyGain() { gainFailed(failure) }
    }

    /// The reader is gone: the input is whoever's.
    func releaseGain() async {
        if let failure = await gain.keeper?.putBack() { gainFailed(failure) }
    }

    /// A card that was pulled out cannot be asked: what was set before is put back when it comes again.
    func endGain(_ reason: DetachReason) async {
        if let failure = await gain.keeper?.end(), reason != .unplugged { gainFailed(failure) }
    }

    private func gainFailed(_ failure: DeviceError) {
        logger.warning(
            "the gain could not be set or put back; tried again when the card is used, and at the next start",
            metadata: [
                "event": "reader.gain_failed", "reader": "\(readerID)",
                "why": "\(DeviceComplaint.words(for: failure, input.device))",
            ])
    }

    /// A client's wish.
    func setGain(_ percent: Int) async -> RequestRefusal? {
        let before = gain.chosen
        _ = gain.choose(percent)
        guard hasReader, let failure = await applyGain() else { return nil }
        _ = gain.choose(before)
        // The card may have taken some of it.
        _ = await applyGain()
        let words = DeviceComplaint.words(for: failure, input.device)
        if case .mixerMissing = failure { return RequestRefusal(.notApplicable, words) }
        return RequestRefusal(.wrongState, words)
    }

    /// The configuration was loaded anew.
    func resetGain() async {
        if gain.choose(nil), hasReader { await applyGainOrTell() }
    }
}
