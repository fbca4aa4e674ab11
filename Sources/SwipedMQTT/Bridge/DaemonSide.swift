internal import SwipeClient
internal import SwipeProtocol
internal import Synchronization

/// The connection to the daemon: an ordinary client's, narrowed before it subscribes, and made again whenever it breaks.
final class DaemonSide: Sendable {
    private let path: String
    private let role: Role
    private let inbox: BridgeInbox
    private let patience: Duration
    private let open = Mutex(Open())

    private struct Open {
        var client: SwipeClient?
        /// Let in, and narrowed.
        var isReady = false
    }

    /// Swipes, and whatever may change a reader's state.
    private static let kinds = Set(EventKind.allCases.filter(\.isState)).union([
        .swipe, .prompt, .promptClosed,
    ])

    /// How long to wait where too much waits to be looked at.
    private static let congestion = Duration.milliseconds(10)

    /// - Parameter patience: how long the daemon may take for an answer.
    init(path: String, role: Role, inbox: BridgeInbox, patience: Duration = .seconds(10)) {
        self.path = path
        self.role = role
        self.inbox = inbox
        self.patience = patience
    }

    private func tell(_ input: BridgeInput) { inbox.tell(input) }

    private var client: SwipeClient? { open.withLock { $0.isReady ? $0.client : nil } }

    /// Until the task is cancelled, or the daemon cannot be used.
    func run(after start: Subscription.Point?) async {
        var point = start
        var backoff = Backoff()
        while !Task.isCancelled {
            let client = SwipeClient(path: path, reconnects: false, timeout: patience)
            defer { client.close() }
            // Before it is let in: where the program ends, a daemon that stands still must not hold it up.
            open.withLock { $0 = Open(client: client) }
            do throws(SwipeClientError) {
                let hello = try await client.connect()
                if let why = Self.complaint(hello) { return tell(.daemonUnsuited(why)) }
                let roles = try await client.narrow(to: role).roles
                if let why = roles.excess(beyond: role) { return tell(.daemonUnsuited(why)) }
                if let why = Self.want(roles, role) {
                    // Who mends it need not start this program anew.
                    tell(.daemonShowsTooLittle(why))
                } else {
                    open.withLock { $0.isReady = true }
                    tell(.daemonConnected(hello))
                    try await pass(on: client, hello, from: &point) { backoff.reset() }
                    tell(.daemonLost("the connection to the daemon ended"))
                }
            } catch {
                // A number that the daemon does not have, from a message that others may have written.
                if error.reply?.code == .parameterInvalid { point = nil }
                tell(.daemonLost("no connection to the daemon: \(error.message)"))
            }
            open.withLock { $0 = Open() }
            try? await Task.sleep(for: .milliseconds(backoff.next()))
        }
    }

    /// Tells the events from that point on, else from the greeting on: what happens before the daemon has read what is wanted is then
    /// told as missing.
    private func pass(
        on client: SwipeClient, _ hello: Hello, from point: inout Subscription.Point?,
        wasOfUse: () -> Void
    ) async throws(SwipeClientError) {
        let start = Subscription.Point(instance: hello.instance, sequence: hello.sequence)
        let events = client.events(Self.kinds, from: .after(point ?? start))
        if point?.instance != hello.instance { point = start }
        while let arrival = try await events.nextArrival() {
            tell(.event(arrival.event))
            if let sequence = arrival.event.sequence {
                let last = point?.sequence ?? 0
                point?.sequence = max(last, sequence)
                wasOfUse()
            }
            while inbox.isFull, !Task.isCancelled { try? await Task.sleep(for: Self.congestion) }
        }
    }

    /// Why the daemon cannot be used. It is asked for less at once; but who gives this program more than it may pass on has made a
    /// mistake, and is told.
    static func complaint(_ hello: Hello) -> String? {
        guard hello.you.roles.contains(.full) else { return nil }
        return
            "the daemon would show cards in full to this program: take its user and groups (and *) out of [access] full in swiped.conf"
    }

    /// Why the roles that are left do not do: without the one that was asked for, swipes would come without what is to be published of them.
    static func want(_ roles: Set<Role>, _ asked: Role) -> String? {
        guard !roles.contains(asked) else { return nil }
        return
            "the daemon does not give this program the role \(asked.rawValue), which [swipes] fields or [commands] needs: name its user or a group of it in [access] \(asked.rawValue) in swiped.conf"
    }

    func askReaders() async {
        guard let client else { return tell(.readers(nil)) }
        tell(.readers(try? await client.readers()))
    }

    func askStatistics() async {
        guard let client, let figures = try? await client.stats() else { return }
        tell(.statistics(figures))
    }

    /// With a claim for the time that it takes: a reader that another program holds stays with it.
    func perform(_ command: CommandDesk.Command) async {
        guard let client else {
            let reply = ErrorReply(.serverFailed, "the daemon is not there", isRetryable: true)
            return tell(.answered(command, .failure(reply)))
        }
        do {
            let result = try await client.withClaim(command.reader, mode: .tryOnly) { _ in
                try await client.control(command.request, reader: command.reader)
            }
            tell(.answered(command, .success(result)))
        } catch {
            let error = error as? SwipeClientError
            let reply = error?.reply ?? ErrorReply(.serverFailed, error?.message ?? "it failed")
            tell(.answered(command, .failure(reply)))
        }
    }

    func close() { open.withLock { $0.client }?.close() }
}
