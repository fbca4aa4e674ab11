import SwipeProtocol

@testable import EventServer

/// Claims as a person would explain them, without the table's states: one record a reader, and rules as sentences.
struct ClaimModel {
    struct Reader {
        /// Who has it, also while away.
        var owner: ClaimTable.Party?
        var ownerIsThere = true
        var token = ""
        /// Who has asked for it and waits.
        var asker: ClaimTable.Party?
    }

    /// Something that happens to the table. Connections and readers are small numbers, so that they meet.
    enum Step: Hashable {
        case claim(reader: Int, connection: UInt64, mode: ClaimMode, knowsToken: Bool)
        case retain(reader: Int, connection: UInt64)
        case release(reader: Int, connection: UInt64)
        case disconnect(UInt64)
        case unplug(reader: Int)
        /// The latest deadline that was set for the reader passes.
        case deadline(reader: Int)
        /// One that was overtaken passes.
        case staleDeadline(reader: Int)
    }

    /// What somebody notices of it.
    enum Notice: Hashable {
        case granted(UInt64, reader: Int, isReturn: Bool)
        case refused(UInt64, reader: Int, ErrorCode)
        case asked(UInt64, by: UInt64, reader: Int)
        case ended(reader: Int, ClaimEnd, of: UInt64)
        case forgotten(reader: Int)
    }

    let holds: Bool
    var readers: [Reader]

    init(holds: Bool, readers: Int) {
        self.holds = holds
        self.readers = Array(repeating: Reader(), count: readers)
    }

    mutating func take(_ step: Step) -> Set<Notice> {
        switch step {
        case .claim(let reader, let connection, let mode, let knowsToken):
            claim(reader, party(connection), mode, knowsToken)
        case .retain(let reader, let connection): retain(reader, connection)
        case .release(let reader, let connection):
            has(reader, connection)
                ? pass(reader, .released) : [.refused(connection, reader: reader, .claimNotHeld)]
        case .disconnect(let connection): disconnect(connection)
        case .unplug(let reader): unplug(reader)
        case .deadline(let reader): deadline(reader)
        case .staleDeadline: []
        }
    }

    private func party(_ connection: UInt64) -> ClaimTable.Party {
        ClaimTable.Party(claimant: ClaimModel.claimant(connection))
    }

    /// Connections 1, 2 are one user's, 3, 4 another's.
    static func claimant(_ connection: UInt64) -> Claimant {
        Claimant(uid: UInt32(1_000 + (connection - 1) / 2), pid: Int(connection), connection: connection)
    }

    private func has(_ reader: Int, _ connection: UInt64) -> Bool {
        readers[reader].ownerIsThere && readers[reader].owner?.claimant.connection == connection
    }

    private mutating func claim(
        _ reader: Int, _ party: ClaimTable.Party, _ mode: ClaimMode, _ knowsToken: Bool
    ) -> Set<Notice> {
        let connection = party.claimant.connection
        guard let owner = readers[reader].owner else {
            readers[reader] = Reader(owner: party)
            return [.granted(connection, reader: reader, isReturn: false)]
        }
        if !readers[reader].ownerIsThere {
            guard knowsToken, owner.claimant.uid == party.claimant.uid else {
                return [.refused(connection, reader: reader, .claimHeld)]
            }
            readers[reader] = Reader(owner: party)
            return [.granted(connection, reader: reader, isReturn: true)]
        }
        if owner.claimant.connection == connection {
            let granted = Notice.granted(connection, reader: reader, isReturn: false)
            // It says that it wants the reader, as `retain` does.
            guard let asker = readers[reader].asker else { return [granted] }
            readers[reader].asker = nil
            return [granted, .refused(asker.claimant.connection, reader: reader, .claimHeld)]
        }
        guard mode == .ask, readers[reader].asker == nil else {
            return [.refused(connection, reader: reader, .claimHeld)]
        }
        readers[reader].asker = party
        return [.asked(owner.claimant.connection, by: connection, reader: reader)]
    }

    private mutating func retain(_ reader: Int, _ connection: UInt64) -> Set<Notice> {
        guard has(reader, connection) else { return [.refused(connection, reader: reader, .claimNotHeld)] }
        guard let asker = readers[reader].asker else {
            return [.refused(connection, reader: reader, .claimNotContested)]
        }
        readers[reader].asker = nil
        return [.refused(asker.claimant.connection, reader: reader, .claimHeld)]
    }

    /// The owner has it no longer; who asked gets it.
    private mutating func pass(_ reader: Int, _ why: ClaimEnd) -> Set<Notice> {
        guard let owner = readers[reader].owner else { return [] }
        let asker = readers[reader].asker
        readers[reader] = Reader(owner: asker)
        let ended = Notice.ended(reader: reader, why, of: owner.claimant.connection)
        guard let asker else { return [ended] }
        return [ended, .granted(asker.claimant.connection, reader: reader, isReturn: false)]
    }

    private mutating func disconnect(_ connection: UInt64) -> Set<Notice> {
        var notices: Set<Notice> = []
        for reader in readers.indices {
            if has(reader, connection) {
                if holds, readers[reader].asker == nil {
                    readers[reader].ownerIsThere = false
                } else {
                    notices.formUnion(pass(reader, .disconnected))
                }
            } else if readers[reader].asker?.claimant.connection == connection {
                readers[reader].asker = nil
            }
        }
        return notices
    }

    private mutating func unplug(_ reader: Int) -> Set<Notice> {
        let state = readers[reader]
        readers[reader] = Reader()
        guard let owner = state.owner else { return [] }
        var notices: Set<Notice> = [.ended(reader: reader, .readerGone, of: owner.claimant.connection)]
        if !state.ownerIsThere { notices.insert(.forgotten(reader: reader)) }
        if let asker = state.asker {
            notices.insert(.refused(asker.claimant.connection, reader: reader, .readerGone))
        }
        return notices
    }

    private mutating func deadline(_ reader: Int) -> Set<Notice> {
        guard let owner = readers[reader].owner else { return [] }
        if !readers[reader].ownerIsThere {
            readers[reader] = Reader()
            return [
                .forgotten(reader: reader),
                .ended(reader: reader, .disconnected, of: owner.claimant.connection),
            ]
        }
        return readers[reader].asker == nil ? [] : pass(reader, .taken)
    }
}
