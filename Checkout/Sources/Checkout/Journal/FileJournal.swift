internal import Glibc
internal import Synchronization

/// A journal in a folder: a file for each attempt whose authorisation may have left. There is no card data in it and no
/// key. Any number of programs may share the folder.
///
///     folder/5f0c….attempt    written, synced and locked before the authorisation leaves, gone once a person was told
///
/// A file that nobody has locked is what a killed program left behind: the kernel lets go of a dead process's locks.
public final class FileJournal: PaymentJournal, Sendable {
    private struct Held: Sendable {
        let path: String
        /// Locked for as long as it is open.
        let descriptor: Int32
    }

    /// Where the files are.
    public let folder: String
    private let service: String
    private let held = Mutex<[OpenAttempt: Held]>([:])

    private static let suffix = ".attempt"
    private static let unfinished = ".new"
    /// No attempt's file is longer.
    private static let longest = 4_096

    /// The attempts of programs that use one payment service.
    ///
    /// - Parameters:
    ///   - folder: where the files are; it is made, with those above it, where it is not there.
    ///   - service: the service's address. Another service's attempts are not looked at.
    /// - Returns: nil where the folder cannot be made, read or written.
    public init?(folder: String, service: String) {
        self.folder = folder
        self.service = service
        guard Self.make(folder) else { return nil }
    }

    /// Makes a folder and those above it.
    private static func make(_ folder: String) -> Bool {
        for end in folder.indices.dropFirst() where folder[end] == "/" {
            mkdir(String(folder[..<end]), 0o700)
        }
        mkdir(folder, 0o700)
        return access(folder, R_OK | W_OK | X_OK) == 0
    }

    // MARK: The journal

    /// Writes an attempt's file, and returns when it would be there after a power failure.
    public func open(_ attempt: OpenAttempt) throws(PaymentJournalError) {
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        let path = "\(folder)/\(name)\(Self.suffix)"
        let descriptor = Glibc.open(
            path + Self.unfinished, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PaymentJournalError() }
        let text = AttemptText.write(attempt, service: service)
        guard text.utf8.count <= Self.longest, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            Self.write(text, to: descriptor), fsync(descriptor) == 0,
            rename(path + Self.unfinished, path) == 0, syncFolder()
        else {
            unlink(path + Self.unfinished)
            unlink(path)
            Glibc.close(descriptor)
            throw PaymentJournalError()
        }
        held.withLock { $0[attempt] = Held(path: path, descriptor: descriptor) }
    }

    /// Takes an attempt's file away; only one that this journal opened or found.
    public func close(_ attempt: OpenAttempt) {
        guard let file = held.withLock({ $0.removeValue(forKey: attempt) }) else { return }
        unlink(file.path)
        Glibc.close(file.descriptor)
    }

    /// A person knows now how everything ended that this journal opened or found.
    public func closeAll() {
        for attempt in held.withLock({ Array($0.keys) }) { close(attempt) }
    }

    /// Lets go of an attempt without forgetting it: the next program is to ask again.
    public func leave(_ attempt: OpenAttempt) {
        guard let file = held.withLock({ $0.removeValue(forKey: attempt) }) else { return }
        Glibc.close(file.descriptor)
    }

    /// A name that is not there after a power failure is no name.
    private func syncFolder() -> Bool {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return fsync(descriptor) == 0
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return false }
            bytes = bytes.dropFirst(max(count, 0))
        }
        return true
    }

    // MARK: What was left behind

    /// The attempts of programs that are gone, locked from now on.
    ///
    /// - Throws: that the folder cannot be read, or a file in it that may be such an attempt.
    public func left() throws(PaymentJournalError) -> [OpenAttempt] {
        var found: [OpenAttempt] = []
        do throws(PaymentJournalError) {
            for name in try names() {
                if let attempt = try take(name) { found.append(attempt) }
            }
        } catch {
            // Whoever asks again is to find them again.
            for attempt in found { leave(attempt) }
            throw error
        }
        return found
    }

    private func names() throws(PaymentJournalError) -> [String] {
        guard let stream = opendir(folder) else { throw PaymentJournalError() }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(Self.suffix) || name.hasSuffix(Self.suffix + Self.unfinished) {
                names.append(name)
            }
        }
        return names.sorted()
    }

    /// The attempt of a file; nil where it is gone, another program's that lives, or another service's.
    private func take(_ name: String) throws(PaymentJournalError) -> OpenAttempt? {
        let path = "\(folder)/\(name)"
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Told to somebody, and gone meanwhile; all else may be an attempt of which we know nothing.
            guard errno == ENOENT else { throw PaymentJournalError() }
            return nil
        }
        var status = stat()
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
            if name.hasSuffix(Self.unfinished) {
                // Killed before it was written: its authorisation never left.
                unlink(path)
            } else {
                guard let (attempt, service) = AttemptText.read(Self.content(descriptor)) else {
                    Glibc.close(descriptor)
                    throw PaymentJournalError()
                }
                if service == self.service {
                    held.withLock { $0[attempt] = Held(path: path, descriptor: descriptor) }
                    return attempt
                }
            }
        }
        Glibc.close(descriptor)
        return nil
    }

    private static func content(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
