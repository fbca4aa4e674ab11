internal import SwipeProtocol

/// Which readers there are, as their retained states say.
extension Bridge {
    /// Asks once at a time: whatever happens meanwhile is asked for together, after the answer.
    mutating func askReaders() -> [BridgeAction] {
        guard isDaemonThere else { return [] }
        guard !readersAsked else {
            readersChanged = true
            return []
        }
        readersAsked = true
        readersChanged = false
        return [.askReaders]
    }

    mutating func readersAre(_ list: [ReaderInfo]?) -> [BridgeAction] {
        guard isDaemonThere else { return [] }
        readersAsked = false
        if let list {
            let there = Set(list.map(\.id))
            for gone in readers.subtracting(there) { takeBack(gone) }
            readers = there
            readersKnown = true
            for reader in list { retain(reader) }
            takeBackLeftovers()
        }
        return readersChanged ? askReaders() : []
    }

    mutating func retain(_ reader: ReaderInfo) {
        readers.insert(reader.id)
        outbox.retain(topics.topic(.state, reader: reader.id), BridgeReport.state(reader))
        if let discovery {
            outbox.retain(discovery.topic(of: reader.id), discovery.reader(reader, configuration.fields))
        }
    }

    private mutating func takeBack(_ reader: String) {
        outbox.retain(topics.topic(.state, reader: reader), [])
        if let discovery { outbox.retain(discovery.topic(of: reader), []) }
    }

    mutating func takeBackLeftovers() {
        let there = Set(readers.map { topics.topic(.state, reader: $0) })
        for topic in lastRun.leftovers.subtracting(there) {
            outbox.retain(topic, [])
            if let discovery, let reader = topics.reader(.state, in: topic) {
                outbox.retain(discovery.topic(of: reader), [])
            }
        }
        // What is there again goes on where it was, and is taken back when it goes.
        for reader in readers where lastRun.leftovers.contains(topics.topic(.state, reader: reader)) {
            outbox.isKnown(topics.topic(.state, reader: reader))
            if let discovery { outbox.isKnown(discovery.topic(of: reader)) }
        }
        lastRun.leftovers = []
    }

    mutating func take(_ figures: JSONValue) -> [BridgeAction] {
        outbox.retain(topics.topic(.stats), BridgeReport.encoded(figures))
        return []
    }
}
