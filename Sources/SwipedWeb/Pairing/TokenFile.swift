internal import Glibc
internal import ServiceSupport

/// The file of the tokens' hashes, for the gateway's own user alone; always whole.
struct TokenFile: Sendable {
    let folder: String

    private static let mode: mode_t = 0o600
    private var path: String { folder + "/tokens" }

    var isWritable: Bool { access(folder, W_OK | X_OK) == 0 }

    /// A file with a line that is none is not used: what it says of who may come in cannot be trusted.
    func read() throws(StartFault) -> TokenStore {
        var store = TokenStore()
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return store }
        // A pipe would never come to its end.
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw StartFault(words: "\(path) is not a file of tokens; move it away")
        }
        guard let bytes = FileContent.read(path, maximumBytes: TokenStore.maximumBytes),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw StartFault(words: "\(path) cannot be read") }
        if let line = store.read(text) {
            throw StartFault(
                words: "\(path), line \(line): not a token; move the file away, and pair again")
        }
        return store
    }

    /// Written next to it, and to the disk, before it replaces the old one.
    func write(_ text: String) -> Bool {
        let beside = path + ".new"
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, Self.mode)
        guard descriptor >= 0 else { return false }
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWhole = rest.isEmpty && fsync(descriptor) == 0
        close(descriptor)
        guard isWhole, rename(beside, path) == 0 else {
            unlink(beside)
            return false
        }
        return true
    }
}
