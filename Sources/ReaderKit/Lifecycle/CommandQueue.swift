/// The commands that wait for a slow device, in order.
///
/// It is bounded, and what it leaves out is never a command that stops something. Those that switch a thing of the
/// sound card — the tone, the volume, the microphone — are always taken: where there is no room, the last word on each
/// thing is the one that stays. A burst or a report that finds no room is refused.
package struct CommandQueue: Sendable {
    /// How many commands may wait, beside one switch for each thing of the card.
    package static let room = 16

    /// What a command switches on or off, so that a later one makes an earlier one void.
    private enum Switch: CaseIterable { case tone, volume, microphone }

    private var waiting: [TransportCommand] = []

    package init() {}

    /// The next command to carry out.
    package mutating func takeFirst() -> TransportCommand? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// Takes a command in. False where there is no room for it.
    package mutating func add(_ command: TransportCommand) -> Bool {
        if waiting.count >= Self.room { dropWhatIsVoid() }
        guard waiting.count < Self.room || Self.target(of: command) != nil else { return false }
        waiting.append(command)
        if waiting.count > Self.room { dropWhatIsVoid() }
        return true
    }

    /// Leaves the last word on each thing, and no burst that a later stop would cut off before it is heard.
    private mutating func dropWhatIsVoid() {
        var decided: Set<Switch> = []
        var isSilenced = false
        var kept: [TransportCommand] = []
        for command in waiting.reversed() {
            if let target = Self.target(of: command) {
                if command == .sound(.stopTone) { isSilenced = true }
                if decided.insert(target).inserted { kept.append(command) }
            } else if !(isSilenced && Self.isBurst(command)) {
                kept.append(command)
            }
        }
        waiting = kept.reversed()
    }

    private static func target(of command: TransportCommand) -> Switch? {
        switch command {
        case .sound(.startTone), .sound(.stopTone): .tone
        case .sound(.raiseVolume), .sound(.restoreVolume): .volume
        case .sound(.listen), .sound(.stopListening): .microphone
        case .sound(.play), .feature, .setFeature, .getFeature, .output, .write: nil
        }
    }

    private static func isBurst(_ command: TransportCommand) -> Bool {
        if case .sound(.play) = command { true } else { false }
    }
}
