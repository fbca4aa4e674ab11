import SwipeClient
import SwipeProtocol

/// Does with a reader's gain what a meter advises.
struct GainSetting: Sendable {
    /// Where a card does not say how many decibels its range has, the gain goes by so many hundredths of it at a time.
    static let blindStep = 10

    let client: SwipeClient
    let reader: String

    /// - Returns: the gain that is set now, in percent of its range.
    func follow(_ advice: MeterModel.Gain) async throws -> Int {
        let settings = try await client.settings(of: reader)
        guard let now = settings.gain?.value else {
            throw CommandFailure(
                .failure, "the sound card of \(reader.printable) has no gain that can be set")
        }
        guard let wanted = Self.percent(from: now, advice, rangeDecibels: settings.gainRangeDecibels) else {
            throw CommandFailure(
                .failure, "the gain is at \(now) % and goes no further: \(advice.words)")
        }
        _ = try await client.ask(.set(ReaderSettings(gain: wanted)), of: reader)
        return wanted
    }

    /// Where a gain is to go; nil where it is at its end already. One hundredth is the least that changes anything.
    static func percent(from now: Int, _ advice: MeterModel.Gain, rangeDecibels: Int?) -> Int? {
        func steps(_ decibels: Int) -> Int {
            guard let rangeDecibels, rangeDecibels > 0 else { return blindStep }
            return max((decibels * 100 + rangeDecibels / 2) / rangeDecibels, 1)
        }
        let wanted =
            switch advice {
            case .unknown, .keep: now
            case .raise(let decibels): now + steps(decibels)
            case .lower(let decibels): now - steps(decibels)
            }
        let limits = ProtocolLimits.gainPercent
        let possible = min(max(wanted, limits.lowerBound), limits.upperBound)
        return possible == now ? nil : possible
    }
}
