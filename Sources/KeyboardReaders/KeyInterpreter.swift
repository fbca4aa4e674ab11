import HIDReaders
import ReaderKit

/// Bursts as swipes, in the reader's layout.
struct KeyInterpreter: Sendable {
    enum Finding: Sendable, Hashable {
        case swipe(ReaderText.Found)
        /// It begins like a swipe; the words hold nothing of it.
        case refused(String)
        /// So many keys, and none of them begins a track.
        case noSwipe(keys: Int)

        var isSwipe: Bool { if case .swipe = self { true } else { false } }
        var isRefused: Bool { if case .refused = self { true } else { false } }
    }

    private let layouts: [KeyboardLayout]
    /// The one of ``layouts`` that a check sum proved, or the first.
    private var chosen = 0

    init(_ options: KeyboardOptions) {
        layouts = options.layouts.isEmpty ? [.us] : options.layouts
    }

    var layout: KeyboardLayout { layouts[chosen] }

    /// What a burst holds, in its order.
    mutating func findings(in burst: KeyBurst) -> [Finding] {
        if burst.isTooLong {
            return [.refused("more than \(KeyBurst.maximumPresses) keys without a pause")]
        }
        if burst.pace.isPersons { return [.noSwipe(keys: burst.count)] }
        if burst.isBroken || burst.isRest {
            let why =
                burst.isBroken
                ? "keys are missing among \(burst.count), which are refused"
                : "\(burst.count) keys so soon behind a swipe that broke off, or behind the taking, that they may be a rest, which are refused"
            return burst.count < Self.leastKeys ? [.noSwipe(keys: burst.count)] : [.refused(why)]
        }
        let findings = Self.findings(burst.presses, in: layout)
        guard !findings.contains(where: \.isSwipe) else { return findings }
        for index in layouts.indices where index != chosen {
            let others = Self.findings(burst.presses, in: layouts[index])
            guard !others.isEmpty, others.allSatisfy(Self.isProven) else { continue }
            chosen = index
            return others
        }
        return findings
    }

    /// Whether the keys are a whole swipe by themselves, whatever came before them.
    func isWhole(_ burst: KeyBurst) -> Bool {
        guard !burst.isBroken, !burst.isTooLong, !burst.pace.isPersons else { return false }
        let findings = Self.findings(burst.presses, in: layout)
        return !findings.isEmpty && findings.allSatisfy(\.isSwipe)
    }

    private static func isProven(_ finding: Finding) -> Bool {
        if case .swipe(let found) = finding { found.isChecked } else { false }
    }

    private static func findings(_ presses: [KeyPress], in layout: KeyboardLayout) -> [Finding] {
        let typed = TypedText(presses, in: layout)
        let folded = TypedText.inCapitals(typed.bytes)
        // A JIS II stripe's small letters are its own.
        let isFolded = folded != typed.bytes && !ReaderText.isJIS(typed.bytes)
        let found = findings(isFolded ? folded : typed.bytes, keys: presses.count)
        // A sum may be of small letters.
        let sent =
            isFolded && !found.contains(where: \.isSwipe)
            ? findings(typed.bytes, keys: presses.count) : found
        let best = sent.contains(where: \.isSwipe) ? sent : found
        guard typed.isAmbiguous else { return best }
        return best.map { finding in
            // A sum tells which of the two it is.
            finding.isSwipe && !isProven(finding)
                ? .refused("a dead key that may stand for one character or for two") : finding
        }
    }

    /// Fewer keys are no swipe that failed, whatever they begin with: a track that failed is typed as `%E?`, and read.
    static let leastKeys = 16
    /// Of a track alone that is not in its usual coding.
    private static let otherSentinels = Set("@+#&".utf8)

    private static func findings(_ text: [UInt8], keys: Int) -> [Finding] {
        let mayHoldSwipe = ReaderText.mayHoldSwipe(text) || text.starts(with: "02".utf8)
        guard mayHoldSwipe || text.contains(where: otherSentinels.contains) else {
            return [.noSwipe(keys: keys)]
        }
        let findings = ReaderText.read(text).map { result -> Finding in
            switch result {
            case .success(let found): .swipe(found)
            case .failure(let refusal):
                mayHoldSwipe && keys >= leastKeys ? .refused(refusal.sentence) : .noSwipe(keys: keys)
            }
        }
        return findings.isEmpty ? [.noSwipe(keys: keys)] : findings
    }
}
