/// How far the attempt of a note is that this program holds.
enum NoteStage: Sendable, Hashable {
    /// It is being paid.
    case underWay
    /// It came to its end, and nobody was told yet.
    case over
    /// Nobody is at it any more: its program is gone, or has let go of it.
    case abandoned(isTold: Bool)

    var isAbandoned: Bool {
        switch self {
        case .abandoned: true
        case .underWay, .over: false
        }
    }
}

extension JournalFindings {
    /// What notes that this program holds mean for whoever wants to pay.
    init(_ notes: [OpenAttempt: NoteStage], at service: String, for sale: SaleKey?) {
        self.init()
        for (attempt, stage) in notes where attempt.concerns(service, sale) {
            let isSame = sale.map { attempt.sale.isSame(as: $0) } ?? false
            switch stage {
            case .underWay: if isSame { underWay.append(attempt) }
            case .over, .abandoned(isTold: true): if isSame { abandoned.append(attempt) }
            case .abandoned(isTold: false): abandoned.append(attempt)
            }
        }
        abandoned.sort { ($0.time, $0.source.value) < ($1.time, $1.source.value) }
    }
}
