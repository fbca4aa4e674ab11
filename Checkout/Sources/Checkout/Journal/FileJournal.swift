internal import Glibc
internal import Synchronization

/// A journal in a folder: a file for each attempt whose authorisation may have left. There is no card data in it and no
/// merchant's key. Any number of programs may share the folder.
///
///     folder/5f0c….attempt    written, synced and locked before the authorisation leaves, gone once somebody was told
///     folder/5f0c….over       what it is called then, where money moved: for programs that stood still meanwhile
///     folder/lock             held while a note is added: no two notes of the same sale are written
///
/// A note that nobody has locked is what a killed program left behind: the kernel lets go of a dead process's locks. One
/// that is locked is being paid, or asked about; what becomes of it is waited for where it is for the same sale.
public final class FileJournal: PaymentJournal, Sendable {
    /// A note that is locked for as long as its descriptor is open.
    struct Held: Sendable {
        let path: String
        let descriptor: Int32
        var stage: NoteStage
        /// Whose it is.
        let seller: String
    }

    /// Where the files are.
    public let folder: String
    /// Who sells, with programs that come one after the other.
    let seller: String
    let held = Mutex<[OpenAttempt: Held]>([:])

    static let suffix = ".attempt"
    static let unfinished = ".new"
    static let over = ".over"
    /// How many payments that are over are kept at most. They are of use for as long as a program may stand still between
    /// the moment when somebody decides to pay and its note.
    static let mostOver = 256
    /// No till counts so far: a payment a millisecond would for thirty thousand years.
    static let highestNumber = 1_000_000_000_000_000
    /// No attempt's file is longer.
    static let longest = 4_096
    /// Of a seller's name no more is written down.
    static let longestSeller = 100

    /// The attempts of programs that share a folder.
    ///
    /// - Parameters:
    ///   - folder: where the files are; it is made, with those above it, where it is not there.
    ///   - seller: who sells, and is the same one after a crash: a counter's name. What was left of an equal sale without an order
    ///     another seller is told once, and then sells; the note stays for its own seller. Programs without a name are one seller.
    /// - Throws: where the folder cannot be made, read or written.
    public init(folder: String, seller: String = "") throws(PaymentJournalError) {
        self.folder = folder
        self.seller = String(decoding: seller.utf8.prefix(Self.longestSeller), as: UTF8.self)
        guard Self.make(folder) else { throw .unwritable(folder) }
    }

    /// Makes a folder and those above it; each is there after a power failure.
    private static func make(_ folder: String) -> Bool {
        let ends = folder.indices.dropFirst().filter { folder[$0] == "/" } + [folder.endIndex]
        for path in ends.map({ String(folder[..<$0]) }) where mkdir(path, 0o700) == 0 {
            let above = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
            guard sync(above ?? ".") else { return false }
        }
        return access(folder, R_OK | W_OK | X_OK) == 0
    }

    // MARK: Writing

    /// The payments that are over.
    public func mark() -> JournalMark { JournalMark(over: Set((try? names(Self.over)) ?? [])) }

    /// The payments that were over at a moment before this one, as when the program began.
    ///
    /// - Parameter moment: the time since the machine began, its sleep included (CLOCK_BOOTTIME), which nobody can set.
    public func mark(at moment: Duration) -> JournalMark {
        let names = (try? names(Self.over)) ?? []
        return JournalMark(over: Set(names.filter { isOver($0, at: moment) }))
    }

    private func isOver(_ name: String, at moment: Duration) -> Bool {
        let path = "\(folder)/\(name)"
        guard let descriptor = try? open(path) else { return true }
        defer { Glibc.close(descriptor) }
        guard let text = try? read(descriptor, path), let closed = text.closed else { return true }
        // Before the machine began anew.
        if let boot = text.boot, !boot.isEmpty, !OpenAttempt.boot.isEmpty, boot != OpenAttempt.boot {
            return true
        }
        // Later than now: it was before the machine began anew.
        return .milliseconds(closed) < moment || closed > OpenAttempt.sinceBoot
    }

    /// Writes an attempt's file, and returns when it would be there after a power failure.
    public func open(_ attempt: OpenAttempt, since mark: JournalMark) throws(PaymentJournalError) {
        let path = "\(folder)/lock"
        let lock = Glibc.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw unwritable() }
        defer { Glibc.close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .busy(folder) : unwritable()
        }
        // Who was killed before its note was written has sent no authorisation.
        for name in try names(Self.suffix + Self.unfinished) { unlink("\(folder)/\(name)") }
        for name in try names() {
            if let other = try text(in: name), !other.isHeard(by: seller),
                other.attempt.sale.isSame(as: attempt.sale)
            {
                throw .sameSale(other.attempt)
            }
        }
        for name in try recentlyOver(since: mark) where !mark.over.contains(name) {
            if let other = try text(in: name)?.attempt, other.sale.isSame(as: attempt.sale) {
                throw .endedMeanwhile(other, name: name)
            }
        }
        try write(attempt)
        // Somebody took the lock away: who holds the one in its place may not have seen this note.
        if !Self.isFile(lock, at: path) {
            close(attempt)
            throw .busy(folder)
        }
    }

    /// Where notes cannot be written, and why: what the kernel said last.
    private func unwritable() -> PaymentJournalError {
        .unwritable("\(folder) (\(String(cString: strerror(errno))))")
    }

    /// The payments that are over; the oldest ones go where there are too many.
    ///
    /// - Throws: also where some of those since the mark may have gone: the oldest go first, so all of the mark's went before.
    private func recentlyOver(since mark: JournalMark) throws(PaymentJournalError) -> [String] {
        let names = try names(Self.over)
        guard names.count < Self.mostOver / 2 || !mark.over.isDisjoint(with: names) else {
            throw .forgotten(folder)
        }
        guard names.count > Self.mostOver else { return names }
        let aged = names.sorted { (Self.number(of: $0), $0) < (Self.number(of: $1), $1) }
        let old = aged.prefix(names.count - Self.mostOver / 2)
        for name in old { unlink("\(folder)/\(name)") }
        return names.filter { !old.contains($0) }
    }

    /// What was over counts on from what was over before: `5f0c…-17.over`. No clock is asked, as those jump. A number to which no
    /// till counts is somebody else's: that one goes first.
    private static func number(of name: String) -> Int {
        let number = name.dropLast(over.count).split(separator: "-").dropFirst().last.flatMap { Int($0) } ?? 0
        return (0...highestNumber).contains(number) ? number : 0
    }

    private func write(_ attempt: OpenAttempt) throws(PaymentJournalError) {
        let text = AttemptText.write(attempt, seller: seller)
        guard text.utf8.count <= Self.longest / 2 else {
            throw .unwritable("\(folder) (the words for what is sold are too long)")
        }
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        let path = "\(folder)/\(name)\(Self.suffix)"
        let descriptor = Glibc.open(path + Self.unfinished, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable() }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.write(text, to: descriptor),
            fsync(descriptor) == 0,
            rename(path + Self.unfinished, path) == 0, Self.sync(folder)
        else {
            let problem = unwritable()
            unlink(path + Self.unfinished)
            unlink(path)
            Glibc.close(descriptor)
            throw problem
        }
        held.withLock {
            $0[attempt] = Held(path: path, descriptor: descriptor, stage: .underWay, seller: seller)
        }
    }

    /// The note stays, locked: whoever asks for the same sale finds it.
    public func end(_ attempt: OpenAttempt) { held.withLock { $0[attempt]?.stage = .over } }

    /// Whether the file is where it was written: somebody may have taken away the folder, or put another one there.
    public func isOpen(_ attempt: OpenAttempt) -> Bool {
        guard let file = held.withLock({ $0[attempt] }) else { return false }
        return Self.isFile(file.descriptor, at: file.path)
    }

    /// Whether an open file is the one at a path.
    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (ours, there) = (stat(), stat())
        return fstat(descriptor, &ours) == 0 && stat(path, &there) == 0
            && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev
    }

    /// Takes an attempt's file away, or calls it over; only one that this journal opened or found. What was paid and cannot be
    /// called over, as its disk fails, stays: who asks next is told once more. What another seller paid stays for that one: equal
    /// sales without an order are two.
    public func close(_ attempt: OpenAttempt, isPaid: Bool) {
        guard let file = held.withLock({ $0.removeValue(forKey: attempt) }) else { return }
        if isPaid, attempt.order == nil, file.seller != seller {
            _ = add("heard", seller, to: file.descriptor)
            fsync(file.descriptor)
            Glibc.close(file.descriptor)
            return
        }
        let name = String(file.path.dropLast(Self.suffix.count))
        if !isPaid {
            unlink(file.path)
        } else if add("closed", String(OpenAttempt.sinceBoot), to: file.descriptor),
            add("boot", OpenAttempt.boot, to: file.descriptor)
        {
            let last = ((try? names(Self.over)) ?? []).map(Self.number).max() ?? 0
            _ = rename(file.path, "\(name)-\(last + 1)\(Self.over)")
        }
        Glibc.close(file.descriptor)
    }

    /// Lets go of an attempt without forgetting it.
    public func release(_ attempt: OpenAttempt, isTold: Bool) {
        guard let file = held.withLock({ $0.removeValue(forKey: attempt) }) else { return }
        // Once is enough: many sellers of something else would fill it.
        if isTold, file.stage != .abandoned(isTold: true) {
            _ = add("told", String(OpenAttempt.now), to: file.descriptor)
            fsync(file.descriptor)
        }
        Glibc.close(file.descriptor)
    }

    /// On a line of its own: the one before it may have been cut short, and then says nothing.
    private func add(_ name: String, _ value: String, to descriptor: Int32) -> Bool {
        let line = "\n" + AttemptText.line(name, value)
        let size = Int(lseek(descriptor, 0, SEEK_END))
        // What is beyond that is not read.
        return size + line.utf8.count <= Self.longest && Self.write(line, to: descriptor)
    }

    /// A name that is not there after a power failure is no name.
    private static func sync(_ folder: String) -> Bool {
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
}
