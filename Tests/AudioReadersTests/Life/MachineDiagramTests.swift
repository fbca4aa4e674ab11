import AudioReaders
import FoundationEssentials
import StateMachine
import Testing

@Suite struct MachineDiagramTests {
    static let diagrams = [
        UniMagState.machine().diagram(), IPSState.machine().diagram(), AutodetectState.machine().diagram(),
    ]

    @Test(arguments: diagrams)
    func theDocumentedDiagramIsTheMachines(diagram: String) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let text = try String(contentsOf: root.appending(path: "docs/lifecycle.md"), encoding: .utf8)
        #expect(text.contains("```mermaid\n\(diagram)```"), "docs/lifecycle.md must contain:\n\(diagram)")
    }
}
