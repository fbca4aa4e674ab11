internal import Glibc
internal import Logging
internal import NIOCore
internal import SwipeProtocol

/// What all connections share: who may come in, which pages are there, and the tokens.
///
/// It lives on one event loop, with all connections of pages and to the daemon: nothing of it is used from elsewhere.
final class Gateway {
    let configuration: WebConfiguration
    let doorkeeper: Doorkeeper
    let files: [String: WebFile]
    let loop: any EventLoop
    let logger: Logger
    var counts = WebCounts()
    var tokens: TokenStore
    var desk = PairingDesk()
    /// The listeners' own names, of all of them: who asks at one is not let in as a page of the other.
    private(set) var own: [OwnHosts] = []

    private var refusals: RefusalLog
    private var places: Places
    private var lobby = Lobby()
    private var lastNumber: UInt64 = 0
    private var lastDaemonFailure: LinkEnd?
    private var doctor: DoctorVisit?
    private let save: (String) -> Bool

    /// How long a page may have no room for lines: less than on the daemon's socket, so that the log here says which page it was.
    static let stall: UInt64 = 8_000_000_000

    /// - Parameter save: writes the tokens' file; whether it could.
    init(
        _ configuration: WebConfiguration, files: [String: WebFile], tokens: TokenStore, loop: any EventLoop,
        logger: Logger, save: @escaping (String) -> Bool
    ) {
        self.configuration = configuration
        self.files = files
        self.tokens = tokens
        self.loop = loop
        self.logger = logger
        self.save = save
        doorkeeper = Doorkeeper(rules: configuration.origins, live: configuration.live)
        refusals = RefusalLog(logger)
        places = Places(limit: configuration.maximumPages)
    }

    func add(_ hosts: OwnHosts) { own.append(hosts) }

    func isOwn(_ origin: WebOrigin) -> Bool { own.contains { $0.origins.contains(origin) } }

    /// CLOCK_MONOTONIC in nanoseconds.
    func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Connections without a page yet

    func arrived(_ connection: WebConnection, _ number: UInt64) {
        counts.connections += 1
        // Who comes new pushes out who has waited longest: however many connect and say nothing, a page gets through.
        if let oldest = lobby.enter(connection, number, at: now()) {
            refused(.tooManyConnections)
            oldest.evict()
        }
    }

    func asked(_ number: UInt64) { lobby.asked(number, at: now()) }

    func leftLobby(_ number: UInt64) { lobby.leave(number) }

    // MARK: Pages

    var pageCount: Int { places.count }

    /// Makes sure of a place for a page of this origin.
    func makeRoom(for origin: WebOrigin) throws(Refusal) {
        switch places.room(for: origin) {
        case .free: return
        case .made(let page):
            refused(.tooManyPages, origin: page.visitor.origin)
            page.end(.crowded)
        case .none: throw .tooManyPages
        }
    }

    func joined(_ page: any ConnectedPage, _ number: UInt64) {
        counts.pages += 1
        places.enter(page, number)
    }

    func left(_ number: UInt64) { places.leave(number) }

    func isConnected(token: String) -> Bool { places.pages.contains { $0.visitor.token == token } }

    func link(as role: Role, user: any LinkUser) -> DaemonLink {
        DaemonLink.open(configuration.daemon, role: role, user: user, on: loop)
    }

    func daemonGreeted() { lastDaemonFailure = nil }

    /// Once until the daemon greets again, or fails in another way: pages try again in seconds.
    func daemonFailed(_ why: LinkEnd) {
        counts.daemonFailures += 1
        guard lastDaemonFailure != why else { return }
        lastDaemonFailure = why
        let words =
            switch why {
            case .unreachable(let error): "cannot connect to the daemon: \(error)"
            case .unsuited(let fault): "the daemon cannot be used: \(fault)"
            case .closed: "the daemon closed the connection"
            }
        logger.warning(
            "\(words)", metadata: ["event": "web.daemon_failed", "socket": "\(configuration.daemon)"])
    }

    /// Asks what is wrong with the readers. Who asks while another one waits gets the same answer.
    func askDoctor(_ done: @escaping (DoctorVisit.Outcome) -> Void) {
        if let doctor { return doctor.wait(done) }
        let visit = DoctorVisit(self)
        doctor = visit
        visit.wait(done)
        visit.start()
    }

    func doctorWent() { doctor = nil }

    /// Looks at those that wait, each second.
    func tick() {
        let now = now()
        for (connection, hasAsked) in lobby.late(at: now) {
            if !hasAsked { refused(.requestTooSlow) }
            connection.evict()
        }
        for page in places.pages where page.blockedSince.map({ now - $0 > Self.stall }) ?? false {
            refused(.pageTooSlow, origin: page.visitor.origin)
            page.end(.slow)
        }
    }

    func endAll() { for page in places.pages { page.end(.shutdown) } }

    // MARK: Who may

    func refused(_ why: Refusal, _ request: RequestFacts? = nil, origin: WebOrigin? = nil) {
        counts.refused[why, default: 0] += 1
        var details: [String: String] = [:]
        if let request {
            // No query, and no path but the gateway's own: what else stands there may be anything, a card's number too.
            details = [
                "host": request.hosts.joined(separator: ","),
                "origin": request.origins.joined(separator: ","),
                "path": Route.named(request.path, files: Set(files.keys)) == nil ? "" : request.path,
                "method": request.method,
            ]
        }
        if let origin { details["origin"] = origin.description }
        refusals.refused(why, details, at: now())
    }

    /// Admits who needs a token.
    func admit(_ request: RequestFacts, at own: OwnHosts) throws(Refusal) -> Visitor {
        let now = now()
        return try doorkeeper.admit(request, at: own) { (secret) throws(Refusal) in
            try tokens.check(secret, at: now)
        }
    }

    /// Makes a token; nil where it could not be kept.
    func issue(to origin: WebOrigin, isOperator: Bool) -> String? {
        let before = tokens
        guard
            let (token, entry, oldest) = tokens.issue(
                to: origin, isOperator: isOperator, at: Int64(time(nil)))
        else { return nil }
        guard keepTokens() else {
            tokens = before
            return nil
        }
        if let oldest { wentOut(oldest, "there are too many: the oldest token goes") }
        counts.pairings += 1
        logger.notice(
            "paired",
            metadata: [
                "event": "web.paired", "origin": "\(origin)", "token": "\(entry.id)",
                "operator": isOperator ? "yes" : "no",
            ])
        return token
    }

    func revoke(_ id: String) -> TokenStore.Entry? {
        guard let entry = tokens.revoke(id) else { return nil }
        _ = keepTokens()
        wentOut(entry, "token revoked")
        return entry
    }

    private func wentOut(_ entry: TokenStore.Entry, _ words: String) {
        for page in places.pages where page.visitor.token == entry.id { page.end(.revoked) }
        logger.notice(
            "\(words)",
            metadata: ["event": "web.revoked", "origin": "\(entry.origin)", "token": "\(entry.id)"])
    }

    private func keepTokens() -> Bool {
        if save(tokens.text) { return true }
        logger.error(
            "the tokens cannot be written: see that the folder is there and the gateway's own",
            metadata: ["event": "web.tokens_failed", "path": "\(configuration.state)"])
        return false
    }

    var metrics: String {
        WebMetrics(
            counts, version: PackageVersion.current, pages: places.count, limit: places.limit,
            tokens: tokens.entries.count, waiting: desk.waiting(at: now()).count
        ).text
    }
}
