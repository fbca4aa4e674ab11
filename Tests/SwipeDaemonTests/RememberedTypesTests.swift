import FoundationEssentials
import SwipeProtocol
import Testing

@testable import SwipeDaemon

/// What a search found is kept over restarts, and nothing that a file may say is believed beyond that.
@Suite("Kinds of readers that are remembered")
struct RememberedTypesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "types-\(UUID().uuidString)")

    private func memory() throws -> RememberedTypes {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return RememberedTypes(folder: folder.path)
    }

    @Test(arguments: [AudioReaderType.unimag, .ips, .ipsEnterprise, .passive])
    func remembers(type: AudioReaderType) throws {
        let memory = try memory()
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(memory.type(of: "desk") == nil)
        #expect(memory.remember(type, of: "desk"))
        #expect(memory.type(of: "desk") == type && memory.type(of: "till") == nil)
        #expect(memory.remember(.ips, of: "desk"))
        #expect(memory.type(of: "desk") == .ips)
    }

    /// A file of anybody's is a search at the next start, and no more.
    @Test(arguments: ["", "\n", "autodetect\n", "none\n", "UNIMAG\n", "unimag ips\n", "\u{0}", "unima"])
    func believesNothingElse(text: String) throws {
        let memory = try memory()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appending(path: "reader-type-desk"))
        #expect(memory.type(of: "desk") == nil)
    }

    @Test func saysWhereItCannotWrite() {
        let memory = RememberedTypes(folder: folder.path + "/not/there")
        #expect(!memory.remember(.ips, of: "desk"))
        #expect(memory.type(of: "desk") == nil)
    }
}
