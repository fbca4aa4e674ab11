import StateMachine
import Synchronization
import Testing

/// The loading list that the machine's design grew from: empty, loading, loaded.
private enum Loading: DiagrammedState, Equatable {
    case empty
    case loading(more: Bool)
    case loaded(hasMore: Bool)

    static let representatives: [Loading] = [
        .empty, .loading(more: false), .loading(more: true), .loaded(hasMore: false), .loaded(hasMore: true),
    ]

    var name: String {
        switch self {
        case .empty: "empty"
        case .loading: "loading"
        case .loaded: "loaded"
        }
    }

    var meaning: String {
        switch self {
        case .empty: "Nothing was asked for."
        case .loading: "An answer is awaited."
        case .loaded: "An answer is here."
        }
    }

    static func machine(_ initial: Loading = .empty) -> StateMachine<Loading> {
        StateMachine(initial) { old, new in
            switch (old, new) {
            case (.empty, .loading(let more)): !more
            case (.loading, .loaded): true
            case (.loaded(let hasMore), .loading(let more)): !more || hasMore
            case (_, .empty), (.empty, .loaded), (.loading, .loading), (.loaded, .loaded): false
            }
        }
    }
}

/// What an observer saw, shared with it.
private final class Record: Sendable {
    private let entries = Mutex<[String]>([])
    func note(_ text: String) { entries.withLock { $0.append(text) } }
    var all: [String] { entries.withLock { $0 } }
}

@Suite struct StateMachineTests {
    @Test(arguments: [
        (Loading.empty, Loading.loading(more: false), true),
        (.empty, .loading(more: true), false),
        (.empty, .loaded(hasMore: false), false),
        (.loading(more: false), .loaded(hasMore: true), true),
        (.loading(more: false), .loading(more: false), false),
        (.loaded(hasMore: false), .loading(more: true), false),
        (.loaded(hasMore: true), .loading(more: true), true),
        (.loaded(hasMore: true), .empty, false),
    ])
    private func guardDecides(old: Loading, new: Loading, allowed: Bool) {
        var machine = Loading.machine(old)
        #expect(machine.canChange(to: new) == allowed)
        #expect(machine.change(to: new) == allowed)
        #expect(machine.state == (allowed ? new : old))
    }

    @Test func observersHearOnlyWhatHappened() {
        let record = Record()
        var machine = Loading.machine()
        machine.onChange { old, new in record.note("1: \(old.name) -> \(new.name)") }
        machine.onChange { old, new in record.note("2: \(old.name) -> \(new.name)") }
        machine.change(to: .loaded(hasMore: true))
        machine.change(to: .loading(more: false))
        #expect(record.all == ["1: empty -> loading", "2: empty -> loading"])
    }

    /// A handler runs only in the states that it is for, and the guard has the last word on the state that it gives.
    @Test func transitionsRunFromTheirStates() {
        let record = Record()
        let more = StateMachine<Loading>.Transition(fromStates: [
            .loaded(hasMore: true), .loaded(hasMore: false),
        ]) {
            record.note("more from \($0.name)")
            return .loading(more: true)
        }
        var machine = Loading.machine()
        var isDone = machine.perform(more)
        #expect(!isDone)
        #expect(machine.state == .empty && record.all.isEmpty)

        machine = Loading.machine(.loaded(hasMore: true))
        machine.onChange { _, new in record.note(new.name) }
        isDone = machine.perform(more)
        #expect(isDone)
        #expect(machine.state == .loading(more: true))
        #expect(record.all == ["more from loaded", "loading"])

        machine = Loading.machine(.loaded(hasMore: false))
        isDone = machine.perform(more)
        #expect(!isDone, "the guard says no")
        #expect(machine.state == .loaded(hasMore: false))

        let begin = StateMachine<Loading>.Transition(from: { $0 == .empty }) { _ in .loading(more: false) }
        machine = Loading.machine()
        isDone = machine.perform(begin)
        #expect(isDone)
        isDone = machine.perform(begin)
        #expect(!isDone)
    }

    @Test func copiesChangeOnTheirOwn() {
        let record = Record()
        var machine = Loading.machine()
        machine.onChange { _, new in record.note(new.name) }
        var copy = machine
        copy.change(to: .loading(more: false))
        #expect(machine.state == .empty)
        #expect(record.all == ["loading"])
        machine.onChange { _, _ in record.note("the copy must not hear of this observer") }
        copy.change(to: .loaded(hasMore: false))
        #expect(record.all == ["loading", "loaded"])
    }

    @Test func drawsWhatTheGuardAllows() {
        #expect(
            Loading.machine().diagram() == """
                stateDiagram-v2
                    [*] --> empty
                    empty: empty<br/>Nothing was asked for.
                    loading: loading<br/>An answer is awaited.
                    loaded: loaded<br/>An answer is here.
                    empty --> loading
                    loading --> loaded
                    loaded --> loading

                """)
    }
}
