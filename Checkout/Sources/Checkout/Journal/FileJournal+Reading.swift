internal import Glibc
internal import Synchronization

/// What others wrote into the folder.
extension FileJournal {
    /// The notes of programs that are gone, locked from now on; and those of programs that live, where they are for the same
    /// sale.
    public func look(_ service: String, for sale: SaleKey?) throws(PaymentJournalError) -> JournalFindings {
        var findings = JournalFindings()
        for name in try names() {
            if let attempt = try take(name, service, sale) { findings.elsewhere.append(attempt) }
        }
        findings.left = held.withLock { held in
            held.filter {
                $0.value.isLeft && $0.key.service == service && $0.key.charge == sale?.charge
            }.sorted {
                $0.value.path < $1.value.path
            }.map(\.key)
        }
        return findings
    }

    func names(_ ending: String = suffix) throws(PaymentJournalError) -> [String] {
        guard let stream = opendir(folder) else { throw .unreadable(folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(ending) { names.append(name) }
        }
        return names.sorted()
    }

    private func isHeld(_ path: String) -> Bool { held.withLock { $0.values.contains { $0.path == path } } }

    /// The attempt of a file, whoever holds it; nil where it is gone, or this journal's own.
    func peek(_ name: String) throws(PaymentJournalError) -> OpenAttempt? {
        let path = "\(folder)/\(name)"
        guard !isHeld(path), let descriptor = try open(path) else { return nil }
        defer { Glibc.close(descriptor) }
        return try read(descriptor, path)?.attempt
    }

    /// Takes a note whose program is gone, where anybody asks for it; returns one for the same sale whose program lives.
    private func take(
        _ name: String, _ service: String, _ sale: SaleKey?
    ) throws(PaymentJournalError) -> OpenAttempt? {
        let path = "\(folder)/\(name)"
        guard !isHeld(path), let descriptor = try open(path) else { return nil }
        var isKept = false
        defer { if !isKept { Glibc.close(descriptor) } }
        let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard let text = try read(descriptor, path), text.attempt.service == service else { return nil }
        // Who pays lets notes of refunds alone, and who refunds those of payments and of other charges.
        guard text.attempt.charge == sale?.charge else { return nil }
        let isSame = sale.map { text.attempt.sale.isSame(as: $0) } ?? false
        guard isFree else { return isSame ? text.attempt : nil }
        if let told = text.told, !isSame {
            if OpenAttempt.now - told > Self.toldSeconds { unlink(path) }
            return nil
        }
        isKept = true
        held.withLock { $0[text.attempt] = Held(path: path, descriptor: descriptor, isLeft: true) }
        return nil
    }

    /// Nil where the file is gone: somebody was told. All else may be an attempt of which nobody knows.
    private func open(_ path: String) throws(PaymentJournalError) -> Int32? {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .unreadable(path) }
            return nil
        }
        return descriptor
    }

    /// Nil where the file was taken away meanwhile.
    private func read(_ descriptor: Int32, _ path: String) throws(PaymentJournalError) -> AttemptText? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path) }
        guard status.st_nlink > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard let text = AttemptText(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)) else {
            throw .unreadable(path)
        }
        return text
    }
}
