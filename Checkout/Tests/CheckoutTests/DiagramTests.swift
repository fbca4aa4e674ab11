import CheckoutTesting
import Foundation
import StateMachine
import Testing

@testable import Checkout

/// The diagrams in README.md are drawn by the machines. CHECKOUT_WRITE=1 writes them anew.
@Suite struct DiagramTests {
    static let page = Programs.package.appending(path: "README.md")

    @Test func diagramsAreFresh() throws {
        var text = try String(contentsOf: Self.page, encoding: .utf8)
        let blocks = [
            ("payment-states", PaymentState.machine().diagram()),
            ("machine-phases", MachinePhase.machine().diagram()),
        ]
        for (name, diagram) in blocks {
            let begin = try #require(text.range(of: "<!-- generated: \(name) -->\n"))
            let end = try #require(text.range(of: "<!-- end of generated: \(name) -->"))
            text.replaceSubrange(begin.upperBound..<end.lowerBound, with: "\n```mermaid\n\(diagram)```\n\n")
        }
        if ProcessInfo.processInfo.environment["CHECKOUT_WRITE"] != nil {
            try text.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(page == text, "CHECKOUT_WRITE=1 swift test --filter DiagramTests")
    }

    /// Every pair of states that the table does not name is refused.
    @Test func onlyLegalChangesHappen() {
        let legal: Set<String> = [
            "idle in_progress_preparing", "idle in_progress_polling",
            "in_progress_preparing in_progress_creating",
            "in_progress_creating in_progress_authorising", "in_progress_authorising in_progress_polling",
            "in_progress_polling success", "in_progress_polling possible_success", "failure idle",
            "in_progress_preparing failure", "in_progress_creating failure",
            "in_progress_authorising failure",
            "in_progress_polling failure", "in_progress_preparing cancelled",
            "in_progress_creating cancelled",
            "in_progress_polling cancelled",
        ]
        for old in PaymentState.representatives {
            for new in PaymentState.representatives {
                #expect(
                    Self.allows(old, new) == legal.contains("\(old.name) \(new.name)"),
                    "\(old.name) -> \(new.name)")
            }
        }
    }

    /// Walks a real machine to `old` by legal changes, then asks.
    private static func allows(_ old: PaymentState, _ new: PaymentState) -> Bool {
        var machine = PaymentState.machine()
        let stages = PaymentState.Stage.allCases.map { PaymentState.inProgress($0) }
        let way: [PaymentState] =
            switch old {
            case .idle: []
            case .inProgress(let stage):
                Array(stages.prefix((PaymentState.Stage.allCases.firstIndex(of: stage) ?? 0) + 1))
            case .success, .possibleSuccess, .failure, .cancelled: stages + [old]
            }
        for state in way { machine.change(to: state) }
        return machine.state == old && machine.canChange(to: new)
    }

    /// Whoever reads the table of tests finds each of them.
    @Test func everyTestInThePageExists() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        // The state machine is the package's above.
        let code = try ["Tests", "../Tests/StateMachineTests"].map { try Self.code(in: $0) }.joined()
        let rows = page.split(separator: "\n").filter {
            $0.hasPrefix("| ") && $0.split(separator: "|").count == 3
        }
        let names = rows.flatMap { row in
            row.split(separator: "|")[2].split(separator: "`").enumerated().filter {
                !$0.offset.isMultiple(of: 2)
            }
            .map { String($0.element.split(separator: ".").last ?? "") }
        }
        for name in names where name.allSatisfy({ $0.isLetter || $0.isNumber }) {
            #expect(
                code.contains("func \(name)(") || code.contains("struct \(name) "),
                "no test is called \(name)")
        }
        #expect(names.count > 50)
    }

    private static func code(in path: String) throws -> String {
        let folder = Programs.package.appending(path: path)
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try files.filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    }
}
