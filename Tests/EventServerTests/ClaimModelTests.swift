import ReaderTesting
import SwipeProtocol
import Testing

@testable import EventServer

/// The claim table beside its model: whatever several clients do, in any order, both say the same.
@Suite(.timeLimit(.minutes(5))) struct ClaimModelTests {
    private static let readers = 2
    private static let connections: ClosedRange<UInt64> = 1...4
    private static let stepsOfARun = 400

    @Test(arguments: [false, true]) func theTableDoesWhatTheModelSays(holds: Bool) throws {
        for seed in UInt64(1)...100 {
            var random = SeededGenerator(state: seed)
            let steps = (0..<Self.stepsOfARun).map { _ in Self.step(&random) }
            guard let complaint = Self.run(steps, holds: holds) else { continue }
            let short = Self.shrink(steps, holds: holds)
            let trace = short.map { "\($0)" }.joined(separator: "\n")
            Issue.record("seed \(seed): \(Self.run(short, holds: holds) ?? complaint), after:\n\(trace)")
            return
        }
    }

    /// So that the test above cannot pass because nothing ever happens.
    @Test func everyKindOfNoticeComesUp() {
        var random = SeededGenerator(state: 1)
        var model = ClaimModel(holds: true, readers: Self.readers)
        var words: Set<String> = []
        for _ in 0..<2_000 {
            for notice in model.take(Self.step(&random)) {
                let parts = "\(notice)".split(whereSeparator: { !$0.isLetter })
                words.formUnion(parts.map(String.init))
            }
        }
        for word in [
            "granted", "refused", "asked", "ended", "forgotten", "released", "disconnected", "taken",
            "readerGone", "true", "not",
        ] { #expect(words.contains(word), "\(word)") }
    }

    private static func step(_ random: inout SeededGenerator) -> ClaimModel.Step {
        let reader = Int.random(in: 0..<readers, using: &random)
        let connection = UInt64.random(in: connections, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...4:
            return .claim(
                reader: reader, connection: connection, mode: Bool.random(using: &random) ? .ask : .tryOnly,
                knowsToken: Bool.random(using: &random))
        case 5, 6: return .retain(reader: reader, connection: connection)
        case 7: return .release(reader: reader, connection: connection)
        case 8: return .disconnect(connection)
        case 9: return .unplug(reader: reader)
        case 10: return .deadline(reader: reader)
        case _: return .staleDeadline(reader: reader)
        }
    }

    /// Runs the steps on both; what differs first, in words.
    private static func run(_ steps: [ClaimModel.Step], holds: Bool) -> String? {
        var model = ClaimModel(holds: holds, readers: readers)
        var table = TableUnderTest(holds: holds, readers: readers)
        for (index, step) in steps.enumerated() {
            let (expected, seen) = (model.take(step), table.take(step))
            if expected != seen { return "step \(index) \(step): expected \(expected), got \(seen)" }
            for reader in 0..<readers {
                let owner = model.readers[reader].owner?.claimant
                let expected = model.readers[reader].ownerIsThere ? owner?.connection : owner.map { _ in 0 }
                if table.holder(of: reader) != expected {
                    return "step \(index) \(step): reader \(reader) has another holder"
                }
            }
        }
        return nil
    }

    /// Leaves out steps as long as the two still differ.
    private static func shrink(_ steps: [ClaimModel.Step], holds: Bool) -> [ClaimModel.Step] {
        var steps = steps
        var length = max(1, steps.count / 2)
        while length > 0 {
            var start = 0
            while start < steps.count {
                let end = min(steps.count, start + length)
                let fewer = Array(steps[..<start] + steps[end...])
                if run(fewer, holds: holds) != nil { steps = fewer } else { start = end }
            }
            length /= 2
        }
        return steps
    }
}

/// The real table, driven by the model's steps.
private struct TableUnderTest {
    var table: ClaimTable
    /// By reader: every deadline that was set.
    var rounds: [[UInt64]]
    var tokens: [String]

    init(holds: Bool, readers: Int) {
        table = ClaimTable(holdsForAbsent: holds)
        rounds = Array(repeating: [], count: readers)
        tokens = Array(repeating: "", count: readers)
    }

    func holder(of reader: Int) -> UInt64? { table.holder(of: "\(reader)")?.connection }

    mutating func take(_ step: ClaimModel.Step) -> Set<ClaimModel.Notice> {
        switch step {
        case .claim(let reader, let connection, let mode, let knowsToken):
            let party = ClaimTable.Party(claimant: ClaimModel.claimant(connection))
            return notices(
                table.claim(
                    "\(reader)", by: party, mode, token: knowsToken ? tokens[reader] : "wrong",
                    newToken: newToken()))
        case .retain(let reader, let connection):
            let (refusal, actions) = table.retain("\(reader)", by: connection)
            if let refusal { return [.refused(connection, reader: reader, refusal)] }
            return notices(actions)
        case .release(let reader, let connection):
            let actions = table.release("\(reader)", by: connection, newToken: newToken())
            return actions.map { notices($0) } ?? [.refused(connection, reader: reader, .claimNotHeld)]
        case .disconnect(let connection):
            return notices(table.disconnected(connection) { ServerConfiguration.newInstance() })
        case .unplug(let reader): return notices(table.readerGone("\(reader)"))
        case .deadline(let reader): return pass(reader, rounds[reader].last)
        case .staleDeadline(let reader): return pass(reader, rounds[reader].dropLast().last)
        }
    }

    private func newToken() -> String { ServerConfiguration.newInstance() }

    private mutating func pass(_ reader: Int, _ round: UInt64?) -> Set<ClaimModel.Notice> {
        guard let round else { return [] }
        return notices(table.deadline("\(reader)", round: round, newToken: newToken()))
    }

    private mutating func notices(_ actions: [ClaimTable.Action]) -> Set<ClaimModel.Notice> {
        var notices: Set<ClaimModel.Notice> = []
        for action in actions {
            switch action {
            case .grant(let party, let reader, let token, let isReturn):
                let index = Int(reader) ?? 0
                tokens[index] = token
                notices.insert(.granted(party.claimant.connection, reader: index, isReturn: isReturn))
            case .refuse(let party, let reader, let code):
                notices.insert(.refused(party.claimant.connection, reader: Int(reader) ?? 0, code))
            case .ask(let holder, let by, let reader, let round):
                rounds[Int(reader) ?? 0].append(round)
                notices.insert(.asked(holder.connection, by: by.connection, reader: Int(reader) ?? 0))
            case .announceEnd(let reader, let why, let holder):
                notices.insert(.ended(reader: Int(reader) ?? 0, why, of: holder.connection))
            case .awaitReturn(let reader, let round): rounds[Int(reader) ?? 0].append(round)
            case .forgetHeld(let reader): notices.insert(.forgotten(reader: Int(reader) ?? 0))
            }
        }
        return notices
    }
}
