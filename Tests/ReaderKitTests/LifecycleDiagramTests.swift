import FoundationEssentials
import ReaderKit
import StateMachine
import Testing

@Suite struct LifecycleDiagramTests {
    @Test func theDocumentedDiagramIsTheMachines() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let text = try String(contentsOf: root.appending(path: "docs/lifecycle.md"), encoding: .utf8)
        let diagram = "```mermaid\n\(ReaderState.machine().diagram())```"
        #expect(text.contains(diagram), "docs/lifecycle.md must contain:\n\(diagram)")
    }
}
