package import Diagnosis
import Glibc

/// Gathers what there is to know of a system: it reads, asks systemd and the journal, and changes nothing.
package struct Inspection: Sendable {
    /// What a program printed, and how it ended; nil where it could not be run.
    package typealias Run = @Sendable (_ words: [String]) -> (status: Int32, output: String)?
    /// What a sound card's mixer says of what is recorded.
    package typealias Mixer = @Sendable (_ card: Int) -> MixerFacts

    package struct MixerFacts: Sendable, Equatable {
        package var controls: [SoundCardFacts.Control] = []
        package var source: String?
        package var sources: [String] = []

        package init() {}
    }

    let tree: SystemTree
    let run: Run
    let mixer: Mixer
    let clock: Int

    /// - Parameter clock: what time it is, in seconds since 1970.
    package init(tree: SystemTree, run: @escaping Run, mixer: @escaping Mixer, clock: Int) {
        self.tree = tree
        self.run = run
        self.mixer = mixer
        self.clock = clock
    }

    /// The running system.
    package static var running: Inspection {
        Inspection(
            tree: SystemTree(), run: { Program.run($0) }, mixer: { MixerSurvey.facts(card: $0) },
            clock: time(nil))
    }

    /// A system of files alone, of which no program and no sound card can be asked.
    package static func files(root: String) -> Inspection {
        Inspection(
            tree: SystemTree(root: root), run: { _ in nil }, mixer: { _ in MixerFacts() },
            clock: time(nil))
    }

    /// Everything but what the daemon itself says.
    package func facts(socketPath: String) -> Facts {
        var facts = Facts()
        facts.machine = machine()
        facts.daemon = daemon(socketPath: socketPath)
        facts.user = user()
        facts.cards = cards()
        facts.devices = devices()
        facts.rules = rules(for: facts.devices)
        facts.configuration = configuration(facts.cards, daemon: facts.daemon)
        (facts.holders, facts.soundServers) = holders()
        facts.companions = Self.companions.compactMap(companion)
        return facts
    }
}

/// A program of the system, for what it prints.
enum Program {
    /// Longer than any of those that are run takes; one that hangs would hold the answer up for ever.
    private static let seconds = 5
    private static let maximumBytes = 262_144

    /// - Parameter words: constants of ours, never from outside: a shell reads them.
    static func run(_ words: [String]) -> (status: Int32, output: String)? {
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        guard let pipe = popen("timeout \(seconds) \(line) 2>&1 </dev/null", "re") else { return nil }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < maximumBytes {
            let count = fread(&piece, 1, piece.count, pipe)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        let status = pclose(pipe)
        // 126, 127: a shell's words for what it could not run.
        guard status >= 0, status & 0x7F == 0, (status >> 8) & 0xFF < 126 else { return nil }
        return ((status >> 8) & 0xFF, String(decoding: bytes, as: UTF8.self))
    }
}
