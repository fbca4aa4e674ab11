/// A small state machine: a state, a guard that allows or refuses each change of it, and observers of the changes
/// that happened.
///
/// States are an enum whose cases carry what exists in that state and nothing else:
/// ```swift
/// enum Door: Sendable { case closed(locked: Bool), open }
/// var door = StateMachine(Door.closed(locked: true)) { old, new in
///     switch (old, new) {
///     case (.closed(locked: false), .open), (.open, .closed(locked: false)), (.closed, .closed): true
///     case (.closed(locked: true), .open), (.open, .closed(locked: true)), (.open, .open): false
///     }
/// }
/// door.onChange { old, new in print("\(old) -> \(new)") }
/// door.change(to: .open)  // false: it is locked, nobody is told
/// ```
///
/// It is a value: a copy changes on its own, and starts with the observers that the original had when it was
/// copied. It takes no locks; whoever shares one guards it, usually as an actor's or an owner's stored property. An
/// observer runs inside ``change(to:)``, after the state has changed, in the order of registration; it cannot reach
/// the machine that calls it, so a change can never start inside another one.
public struct StateMachine<State: Sendable>: Sendable {
    /// Says whether a change from the first state to the second one is allowed.
    public typealias Guard = @Sendable (_ old: State, _ new: State) -> Bool
    /// Is told of a change that happened.
    public typealias Observer = @Sendable (_ old: State, _ new: State) -> Void

    /// The present state. Only ``change(to:)`` changes it.
    public private(set) var state: State

    private let isAllowed: Guard
    private var observers: [Observer] = []

    /// Makes a machine in its first state, which the guard is not asked about.
    ///
    /// - Parameters:
    ///   - initial: the first state.
    ///   - isAllowed: the guard. It must depend on its two arguments alone, so that a diagram of it stays true.
    public init(_ initial: State, allowing isAllowed: @escaping Guard) {
        state = initial
        self.isAllowed = isAllowed
    }

    /// Whether the guard would allow a change to that state now.
    public func canChange(to new: State) -> Bool {
        isAllowed(state, new)
    }

    /// Changes the state where the guard allows it, then tells the observers.
    ///
    /// - Returns: whether the change happened. A refused change leaves everything as it was and tells nobody.
    @discardableResult
    public mutating func change(to new: State) -> Bool {
        guard isAllowed(state, new) else { return false }
        let old = state
        state = new
        for observer in observers { observer(old, new) }
        return true
    }

    /// Adds an observer of the changes that happen from now on.
    public mutating func onChange(_ observer: @escaping Observer) {
        observers.append(observer)
    }

    /// Puts a copy into a state for drawing; the guard and the observers are not asked.
    internal mutating func place(in state: State) {
        self.state = state
    }
}
