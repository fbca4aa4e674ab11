/// One thing that is wrong, or that explains what somebody sees.
package struct Finding: Sendable, Equatable {
    /// What it is about.
    package enum Subject: Sendable, Equatable {
        case system
        case reader(String)
        /// A device node.
        case node(String)
        /// A sound card, by its number.
        case card(Int)
        /// A section of the configuration that is not used: no reader is its.
        case section(String)
    }

    package var check: Check
    package var subject: Subject
    /// What was seen.
    package var evidence: [String]
    /// What that means.
    package var cause: String
    /// The commands that mend it, or what to do by hand as a comment.
    package var advice: [String]

    init(
        _ check: Check, _ subject: Subject = .system, seen: [String], cause: String, do advice: [String]
    ) {
        self.check = check
        self.subject = subject
        evidence = seen
        self.cause = cause
        self.advice = advice
    }
}

/// From facts to findings.
package enum Diagnosis {
    /// What is wrong, in the order in which to mend it.
    ///
    /// - Parameter reader: the id of a reader; what is about others is left out then, and what only explains is there.
    package static func findings(_ facts: Facts, about reader: String? = nil) -> [Finding] {
        let rules: [(Facts) -> [Finding]] = [
            machine, daemon, access, configuration, devices, readers, reading, sound, mixer, absence,
            unused, companions,
        ]
        let all = rules.flatMap { $0(facts) }
        let wanted = all.filter { finding in
            guard let reader else { return !finding.check.onlyExplains }
            return concerns(finding, reader, facts)
        }
        return Check.allCases.flatMap { check in wanted.filter { $0.check == check } }
    }

    private static func concerns(_ finding: Finding, _ reader: String, _ facts: Facts) -> Bool {
        // Of a reader that the daemon does not list, everything may be the reason.
        guard let bus = facts.readers.first(where: { $0.id == reader })?.bus else { return true }
        switch finding.subject {
        case .system: return true
        // The reader is there, so the section is another one's.
        case .section: return false
        case .reader(let id): return id == reader
        case .node(let node):
            guard bus != "audio", bus != "serial" else { return false }
            return device(of: reader, facts).map { $0.node == node } ?? true
        case .card(let index):
            return bus == "audio" && (card(of: reader, facts).map { $0.index == index } ?? true)
        }
    }

    /// The device that a reader is, by its serial number; nil where that is not known.
    private static func device(of reader: String, _ facts: Facts) -> HIDDeviceFacts? {
        guard let serial = facts.readers.first(where: { $0.id == reader })?.serial else { return nil }
        return facts.devices.first { $0.serial == serial }
    }

    static func card(of reader: String, _ facts: Facts) -> SoundCardFacts? {
        facts.cards.first { "audio-\($0.id)" == reader }
    }
}
