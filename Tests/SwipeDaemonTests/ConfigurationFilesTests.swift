import FoundationEssentials
import SwipeDaemon
import Testing

/// What there may be where a file of the configuration should be.
@Suite struct ConfigurationFilesTests {
    /// What cannot be read, or might never end, must not pass for nothing at all.
    @Test(arguments: [
        ("file", "/dev/zero", "{}.d/x.conf: it is not a file"),
        ("file", "/nonexistent", "{}.d/x.conf: it cannot be read: No such file or directory (errno 2)"),
        ("file", "/tmp", "{}.d/x.conf: it is a folder, not a file"),
        ("folder", "/dev/null", "{}.d: it is not a folder"),
    ])
    func refusesADropIn(_ what: String, _ target: String, saying line: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swiped-\(UUID().uuidString)")
            .path
        let path = "\(folder)/swiped.conf"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: what == "file" ? "\(path).d" : folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: what == "file" ? "\(path).d/x.conf" : "\(path).d", withDestinationPath: target)
        #expect {
            _ = try ConfigurationLoader.load(path: path, isRequired: false)
        } throws: { error in
            "\(error)" == line.replacing("{}", with: path)
        }
    }

    @Test func namesTheLineThatIsNotUTF8() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "latin-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(
            FileManager.default.createFile(atPath: file, contents: Data("[log]\n# M".utf8) + [0xFC, 0x0A]))
        #expect {
            _ = try ConfigurationLoader.load(path: file, isRequired: true)
        } throws: { error in
            "\(error)" == "\(file):2: it is not UTF-8"
        }
    }

    /// Nothing says anything: neither a file nor the command line.
    @Test func noFileMeansTheDefaults() async throws {
        let configuration = try ConfigurationLoader.load(
            path: "/nonexistent/swiped.conf", isRequired: false)
        #expect(configuration.server.socketPath == "/run/swiped/swiped.sock")
        #expect(configuration.metrics.path == "/run/swiped/metrics.prom")
    }

    @Test func aFolderIsNoFile() async {
        #expect {
            _ = try ConfigurationLoader.load(path: "/tmp", isRequired: true)
        } throws: { error in
            "\(error)" == "/tmp: it is a folder, not a file"
        }
    }

    @Test func namesAMissingFile() async {
        #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.load(path: "/nonexistent/swiped.conf", isRequired: true)
        }
    }
}
