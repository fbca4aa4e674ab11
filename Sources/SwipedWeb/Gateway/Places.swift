/// The pages that are connected, and who gives its place up where all are taken: no origin keeps the others out.
struct Places {
    let limit: Int
    private var taken: [UInt64: any ConnectedPage] = [:]

    init(limit: Int) { self.limit = limit }

    var count: Int { taken.count }
    var pages: [any ConnectedPage] { Array(taken.values) }

    mutating func enter(_ page: any ConnectedPage, _ number: UInt64) { taken[number] = page }

    mutating func leave(_ number: UInt64) { taken[number] = nil }

    /// What a page of an origin finds that wants to come in.
    enum Room {
        case free
        /// Made by this page, which has to go.
        case made(by: any ConnectedPage)
        case none
    }

    /// Looks for a place. Where all are taken, the origin with the most pages gives up its last one to an origin that has even then
    /// no more than it: so they meet at equal shares, and nobody's page comes and goes in turn with another's.
    mutating func room(for origin: WebOrigin) -> Room {
        guard taken.count >= limit else { return .free }
        var shares: [WebOrigin: Int] = [:]
        for page in taken.values { shares[page.visitor.origin, default: 0] += 1 }
        guard let most = shares.max(by: { $0.value < $1.value }), most.value > shares[origin, default: 0] + 1,
            let last = taken.filter({ $0.value.visitor.origin == most.key }).max(by: { $0.key < $1.key })
        else { return .none }
        taken[last.key] = nil
        return .made(by: last.value)
    }
}
