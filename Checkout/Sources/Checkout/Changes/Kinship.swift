/// What a change in the service's books is to one that was written down.
enum Kinship: Sendable, Hashable {
    /// The very one, as far as money goes.
    case same
    /// Another kind, amount or tip.
    case another
    /// Nobody can say: it is listed under no key, and its tip or its name is not told.
    case untold
}

extension BookedChange {
    /// Services that list no key list captures and voids, of which a charge has one each: an equal one is the one that was asked for.
    /// With which tip it was done, or by which name, they do not tell.
    func kinship(to note: OpenAttempt) -> Kinship {
        // A void takes all there is.
        guard kind == note.change, kind == .void || amount == note.amount else { return .another }
        if key != nil || tip != nil { guard tipUnits == note.tip?.minorUnits ?? 0 else { return .another } }
        guard key == nil else { return .same }
        let hasTip = tip == nil && note.tip.map { $0.minorUnits > 0 } ?? false
        return hasTip || note.hasName ? .untold : .same
    }

    private var tipUnits: Int { tip?.minorUnits ?? 0 }
}

extension OpenAttempt {
    /// Whether its change has a name of its own.
    fileprivate var hasName: Bool {
        guard let key, let charge else { return false }
        return key.changeName(of: charge) != .unnamed
    }
}
