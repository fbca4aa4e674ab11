extension StateMachine {
    /// A change that is made from certain states only, by a handler that gives the new state.
    ///
    ///     let unlock = StateMachine<Door>.Transition(fromStates: [.closed(locked: true)]) { _ in .closed(locked: false) }
    ///     door.perform(unlock)  // false where it is open, or not locked
    public struct Transition: Sendable {
        /// Says whether it starts in a state.
        public typealias Origin = @Sendable (_ state: State) -> Bool
        /// Gives the new state for the present one.
        public typealias Handler = @Sendable (_ state: State) -> State

        let isOrigin: Origin
        let handler: Handler

        /// A transition from the states that `isOrigin` names.
        public init(from isOrigin: @escaping Origin, _ handler: @escaping Handler) {
            self.isOrigin = isOrigin
            self.handler = handler
        }
    }

    /// Runs a transition where the present state is one of its own, and changes to what its handler gives, where the guard
    /// allows that.
    ///
    /// - Returns: whether the change happened. The handler does not run in other states.
    @discardableResult
    public mutating func perform(_ transition: Transition) -> Bool {
        guard transition.isOrigin(state) else { return false }
        return change(to: transition.handler(state))
    }
}

extension StateMachine.Transition where State: Equatable {
    /// A transition from these states.
    public init(fromStates states: [State], _ handler: @escaping Handler) {
        self.init(from: { states.contains($0) }, handler)
    }
}
