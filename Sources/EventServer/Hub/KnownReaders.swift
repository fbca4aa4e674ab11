internal import SwipeProtocol

/// What is known of the readers that are there, or were: for lists, for what may be asked of them, and counted.
struct KnownReaders {
    private var present: [String: ReaderInfo] = [:]
    /// The sound inputs that are given to readers, whether something is in their jacks or not.
    private var audioInputs: [String: AudioInputInfo] = [:]
    private var unusedInputs: [UnusedInputInfo] = []
    private(set) var counts = ReaderCounts()

    /// A reader that is there.
    subscript(id: String) -> ReaderInfo? { present[id] }

    /// Whether an administrator can set it up: a sound input that nothing is plugged into, too.
    func canBeSetUp(_ id: String) -> Bool { present[id] != nil || audioInputs[id] != nil }

    // MARK: What happens

    /// Keeps the state that an event leads to.
    mutating func follow(_ publication: Publication) {
        guard let id = publication.readerID else { return }
        let now = publication.instant.monotonicNanoseconds
        if let reader = publication.reader {
            present[id] = reader
            counts.change(id) { $0.follow(reader.state, at: now) }
        } else if publication.kind == .disconnect {
            present[id] = nil
            counts.change(id) { $0.powerOff(at: now) }
        }
    }

    mutating func count(_ id: String, _ change: (inout ReaderStatistics) -> Void) {
        counts.change(id, change)
    }

    mutating func describe(unusedInputs inputs: [UnusedInputInfo]) { unusedInputs = inputs }

    /// - Parameter input: nil where it is none any more.
    mutating func describe(audioInput id: String, _ input: AudioInputInfo?) { audioInputs[id] = input }

    // MARK: Lists and figures

    /// - Parameter wanted: nil for all of them.
    func listed(_ wanted: Set<String>?, _ claims: ClaimTable) -> [ReaderInfo] {
        present.values.filter { wanted?.contains($0.id) ?? true }.sorted { $0.id < $1.id }.map { reader in
            var reader = reader
            reader.claimedBy = claims.holder(of: reader.id)
            return reader
        }
    }

    func list(_ claims: ClaimTable) -> ReaderList {
        ReaderList(
            readers: listed(nil, claims), audioInputs: audioInputs.values.sorted { $0.id < $1.id },
            unusedInputs: unusedInputs)
    }

    func figures(_ claims: ClaimTable) -> [ServerReport.Reader] {
        counts.all.map { id, counts in
            ServerReport.Reader(
                id: id, info: present[id], isClaimed: claims.holder(of: id) != nil, counts: counts)
        }.sorted { $0.id < $1.id }
    }
}
