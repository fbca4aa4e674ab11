internal import Glibc
internal import NIOCore

/// A file of the live page, in memory.
struct WebFile: Sendable {
    let type: String
    let content: ByteBuffer

    /// What is served, by path: the name of the file and its type.
    static let all: [(path: String, name: String, type: String)] = [
        ("/", "index.html", "text/html; charset=utf-8"),
        ("/live.js", "live.js", "text/javascript; charset=utf-8"),
        ("/live.css", "live.css", "text/css; charset=utf-8"),
        ("/swiped.js", "swiped.js", "text/javascript; charset=utf-8"),
    ]
    static let maximumBytes = 256 * 1_024

    /// The files of a folder; those that are not there are left out, and named.
    static func read(_ folder: String) -> (files: [String: WebFile], missing: [String]) {
        var (files, missing): ([String: WebFile], [String]) = ([:], [])
        for (path, name, type) in all {
            if let bytes = FileContent.read("\(folder)/\(name)", maximumBytes: maximumBytes) {
                files[path] = WebFile(type: type, content: ByteBuffer(bytes: bytes))
            } else {
                missing.append("\(folder)/\(name)")
            }
        }
        return (files, missing)
    }
}

/// Whole files, as bytes.
enum FileContent {
    static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Nil where it cannot be read, or is longer.
    static func read(_ path: String, maximumBytes: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= maximumBytes {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return nil
    }
}
