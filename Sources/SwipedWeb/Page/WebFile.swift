internal import NIOCore
internal import ServiceSupport

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
