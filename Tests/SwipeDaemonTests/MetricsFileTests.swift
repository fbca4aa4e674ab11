import FoundationEssentials
import Glibc
import ServiceSupport
import Testing

/// The file of counters takes the place of an older one, and of nothing else.
@Suite struct MetricsFileTests {
    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    @Test func whatIsNoFileStays() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID().uuidString)").path
        defer { unlink(path) }
        #expect(mkfifo(path, 0o600) == 0)
        let file = MetricsFile(path: path)
        #expect(file.write("a 1\n") == EEXIST)
        file.remove()
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(!Self.isThere(path + ".new"))
        unlink(path)
        for text in ["a 1\n", "a 2\n"] {
            #expect(file.write(text) == nil)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
        file.remove()
        #expect(!Self.isThere(path))
    }
}
