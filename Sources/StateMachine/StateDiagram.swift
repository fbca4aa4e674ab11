/// A state that can be drawn.
public protocol DiagrammedState: Sendable {
    /// Values of every case, and of one case as many as the guard tells apart by their associated values.
    static var representatives: [Self] { get }
    /// The case's name in the diagram: letters, digits and underscores. Representatives with one name are one box.
    var name: String { get }
    /// One sentence: what it means to be in this state.
    var meaning: String { get }
}

extension StateMachine where State: DiagrammedState {
    /// The machine as a Mermaid state diagram, drawn by asking the guard about every pair of representatives.
    ///
    /// The text is stable, so that a test can compare it with the one in the documentation.
    public func diagram() -> String {
        let states = State.representatives
        var lines = ["stateDiagram-v2", "    [*] --> \(state.name)"]
        var seen: Set<String> = []
        for state in states where seen.insert(state.name).inserted {
            lines.append("    \(state.name): \(state.name)<br/>\(state.meaning)")
        }
        for old in states {
            for new in states where allows(old, new) {
                let arrow = "    \(old.name) --> \(new.name)"
                if seen.insert(arrow).inserted { lines.append(arrow) }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func allows(_ old: State, _ new: State) -> Bool {
        var machine = self
        machine.place(in: old)
        return machine.canChange(to: new)
    }
}
