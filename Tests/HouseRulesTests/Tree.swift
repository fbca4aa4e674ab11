import Foundation

/// The project's tracked files, as the rules see them.
enum Tree {
    /// The folder with Package.swift.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every file that is tracked or about to be, by its path from the root.
    static let files: [String] = {
        let listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard"])
        let paths = listed.status == 0 ? listed.output.split(separator: "\n").map(String.init) : walk()
        return paths.filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }.sorted()
    }()

    /// The Swift files under `Sources/` and `Tests/`, without the steps of tutorials, which are a client's.
    static let swiftFiles = files.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }

    /// The Swift files of what is shipped, of both packages.
    static let sourceFiles = swiftFiles.filter { target(of: $0) != nil }

    /// The target that a source file belongs to: `CardData` for `Sources/CardData/Cards/Card.swift`; nil for other files.
    static func target(of path: String) -> String? {
        let folders = path.split(separator: "/").drop { $0 == "Checkout" }
        guard folders.first == "Sources", let target = folders.dropFirst().first, folders.count > 2 else {
            return nil
        }
        return String(target)
    }

    /// A file's text, or nil where it is not UTF-8 (recordings, images).
    static func text(_ path: String) -> String? {
        guard let data = try? Data(contentsOf: root.appending(path: path)) else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// A program's standard output and exit status; it is started in the root and reads nothing.
    static func run(_ words: [String]) -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = root
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return (127, "cannot run \(words)") }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// The files of an unpacked archive, where git knows nothing.
    private static func walk() -> [String] {
        let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            let built = path.split(separator: "/").contains { $0.hasPrefix(".build") || $0 == ".git" }
            return !built && !isFolder(path)
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? root.appending(path: path).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory ?? false
    }
}

/// One breach of a rule, printed as editors and people read it.
struct Violation: CustomStringConvertible {
    let path: String
    let line: Int
    let what: String

    var description: String { "\(path):\(line): \(what)" }
}

/// The breaches as one text, `advice` after them; empty where there are none.
func report(_ violations: [Violation], _ advice: String) -> String {
    violations.isEmpty ? "" : "\n" + violations.map(\.description).joined(separator: "\n") + "\n" + advice
}
