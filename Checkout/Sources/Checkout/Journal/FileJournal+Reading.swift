internal import Glibc
internal import Synchronization

/// What is written down in the folder, by whomever.
extension FileJournal {
    /// The notes of programs that are gone, locked from now on; and those that somebody is at, where they are for the same
    /// sale.
    public func findings(at service: String, for sale: SaleKey?) throws(PaymentJournalError)
        -> JournalFindings
    {
        let underWay = try claim { text in
            guard text.attempt.concerns(service, sale), !text.isHeard(by: seller) else { return nil }
            let isSame = sale.map { text.attempt.sale.isSame(as: $0) } ?? false
            return text.told == nil || isSame ? isSame : nil
        }
        let own = held.withLock { $0.mapValues(\.stage) }
        var findings = JournalFindings(own, at: service, for: sale)
        findings.underWay += underWay
        return findings
    }

    /// The notes of one transaction, whatever the service and the sale: for somebody who has looked it up and says that they
    /// may go.
    public func findings(of transaction: TransactionID) throws(PaymentJournalError) -> JournalFindings {
        let underWay = try claim { $0.attempt.transaction == transaction ? true : nil }
        let own = held.withLock { held in
            held.keys.filter { $0.transaction == transaction && held[$0]?.stage.isAbandoned == true }
        }
        return JournalFindings(abandoned: own, underWay: underWay)
    }

    func names(_ ending: String = suffix) throws(PaymentJournalError) -> [String] {
        guard let stream = opendir(folder) else { throw .unreadable(folder) }
        defer { closedir(stream) }
        guard let names = Self.names(in: stream) else { throw .unreadable(folder) }
        return names.filter { $0.hasSuffix(ending) }.sorted()
    }

    /// What is in a folder; nil where that cannot be read to its end.
    static func names(in stream: OpaquePointer) -> [String]? {
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
            errno = 0
        }
        return errno == 0 ? names : nil
    }

    private func isHeld(_ path: String) -> Bool { held.withLock { $0.values.contains { $0.path == path } } }

    /// What is in a file, whoever holds it; nil where it is gone.
    func text(in name: String) throws(PaymentJournalError) -> AttemptText? {
        let path = "\(folder)/\(name)"
        guard let descriptor = try open(path) else { return nil }
        defer { Glibc.close(descriptor) }
        return try read(descriptor, path)
    }

    /// Locks the notes whose programs are gone.
    ///
    /// - Parameter isSame: nil for a note that nobody asks for; else whether it is for the sale that is asked for.
    /// - Returns: those for the same sale that another program holds.
    private func claim(_ isSame: (AttemptText) -> Bool?) throws(PaymentJournalError) -> [OpenAttempt] {
        var elsewhere: [OpenAttempt] = []
        for name in try names() {
            if let attempt = try claim(name, isSame) { elsewhere.append(attempt) }
        }
        return elsewhere
    }

    private func claim(_ name: String, _ isSame: (AttemptText) -> Bool?) throws(PaymentJournalError)
        -> OpenAttempt?
    {
        let path = "\(folder)/\(name)"
        guard !isHeld(path), let descriptor = try open(path) else { return nil }
        var isKept = false
        defer { if !isKept { Glibc.close(descriptor) } }
        let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard let text = try read(descriptor, path), let isSame = isSame(text) else { return nil }
        guard isFree else { return isSame ? text.attempt : nil }
        isKept = true
        let stage = NoteStage.abandoned(isTold: text.told != nil)
        held.withLock {
            $0[text.attempt] = Held(path: path, descriptor: descriptor, stage: stage, seller: text.seller)
        }
        return nil
    }

    /// Nil where the file is gone: somebody was told. All else may be an attempt of which nobody knows.
    func open(_ path: String) throws(PaymentJournalError) -> Int32? {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .unreadable(path) }
            return nil
        }
        return descriptor
    }

    /// Nil where the file was taken away meanwhile.
    func read(_ descriptor: Int32, _ path: String) throws(PaymentJournalError) -> AttemptText? {
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
