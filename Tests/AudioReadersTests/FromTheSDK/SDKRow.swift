import AudioReaders
import ReaderKit
import Testing

/// One member of the payment SDK, what it is here, and what proves that.
struct SDKRow: Sendable, CustomTestStringConvertible {
    enum Proof: Sendable {
        /// By the row itself, on the values that drivers and lifecycles are.
        case here(@Sendable () -> Bool)
        /// By these tests, as `swift test --filter` takes them: `Target.Suite/test`.
        case there([String])
        /// There is nothing of it here, and nothing to prove.
        case absent
    }

    var section: String
    var theirs: String
    var ours: String
    var proof: Proof

    var testDescription: String { "\(section): \(theirs)" }

    init(_ section: String, _ theirs: String, _ ours: String, _ proof: @escaping @Sendable () -> Bool) {
        (self.section, self.theirs, self.ours, self.proof) = (section, theirs, ours, .here(proof))
    }

    init(_ section: String, _ theirs: String, _ ours: String, by tests: String...) {
        (self.section, self.theirs, self.ours, self.proof) = (section, theirs, ours, .there(tests))
    }

    /// Something that this daemon has nothing of.
    init(absent section: String, _ theirs: String, _ ours: String) {
        (self.section, self.theirs, self.ours, self.proof) = (section, theirs, ours, .absent)
    }

    /// The row of the page.
    var line: String {
        let proven =
            switch proof {
            case .here: "`FromTheSDKTests`"
            case .there(let tests): tests.map { "`\($0)`" }.joined(separator: ", ")
            case .absent: "–"
            }
        return "| \(theirs) | \(ours) | \(proven) |"
    }

    static let all: [SDKRow] =
        controller + delegate + uniMag + messages + battery + results + orders + cards + twins

    /// The tables of the page, a section each.
    static var tables: String {
        var sections: [String] = []
        for row in all where !sections.contains(row.section) { sections.append(row.section) }
        return sections.map { section in
            let lines = all.filter { $0.section == section }.map(\.line).joined(separator: "\n")
            return "## \(section)\n\n| there | here | proven by |\n|---|---|---|\n\(lines)\n"
        }.joined(separator: "\n")
    }
}

/// Readers in the states that rows start from.
enum Given {
    typealias UniMag = LifeBench<UniMagDriver>
    typealias IPS = LifeBench<IPSDriver<EncryptedIPS>>
    typealias Enterprise = LifeBench<IPSDriver<EnterpriseIPS>>

    static func uniMag(
        _ state: UniMagState = .attached, volume: Int? = 40,
        _ change: (inout ReaderOptions) -> Void = { _ in }
    ) -> UniMag {
        var options = ReaderOptions()
        change(&options)
        var bench = UniMag(options)
        bench.volume = volume
        bench.reach(state)
        return bench
    }

    static func ips() -> IPS {
        var bench = IPS()
        bench.profile = .ips
        bench.start()
        return bench
    }

    static func enterprise() -> Enterprise {
        var bench = Enterprise()
        bench.profile = .ipsEnterprise
        bench.start()
        return bench
    }

    static func names(_ events: [ReaderEvent]) -> [String] { UniMagBench.names(events) }

    /// Whether the reader is told something.
    static func isBurst(_ command: SoundCommand) -> Bool {
        if case .play = command { true } else { false }
    }

    static func refusal(_ outcome: RequestOutcome) -> RequestRefusal.Code? {
        if case .refused(let refusal) = outcome, !refusal.reason.isEmpty { refusal.code } else { nil }
    }

    static func isAccepted(_ outcome: RequestOutcome) -> Bool {
        if case .accepted = outcome { true } else { false }
    }

    static func warning(_ outcome: RequestOutcome) -> String? {
        if case .accepted(let warning) = outcome { warning } else { nil }
    }
}
