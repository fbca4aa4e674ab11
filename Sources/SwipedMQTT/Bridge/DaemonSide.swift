internal import SwipeClient
internal import SwipeProtocol
internal import Synchronization

/// The connection to the daemon: an ordinary client's, narrowed before it subscribes, and made again whenever it breaks.
final class DaemonSide: Sendable {
    private let path: String
    private let role: Role
    private let tell: @Sendable (BridgeInput) -> Void
    private let client = Mutex<SwipeClient?>(nil)

    /// How long the daemon may take for an answer.
    private static let patience = Duration.seconds(10)
    /// Swipes, and whatever may change a reader's state.
    private static let kinds = Set(EventKind.allCases.filter(\.isState)).union([
        .swipe, .prompt, .promptClosed,
    ])

    init(path: String, role: Role, tell: @escaping @Sendable (BridgeInput) -> Void) {
        self.path = path
        self.role = role
        self.tell = tell
    }

    /// Until the task is cancelled, or the daemon cannot be used.
    func run(after start: Subscription.Point?) async {
        var point = start
        var backoff = Backoff()
        while !Task.isCancelled {
            let client = SwipeClient(path: path, reconnects: false, timeout: Self.patience)
            defer { client.close() }
            do throws(SwipeClientError) {
                let hello = try await client.connect()
                if let why = Self.complaint(hello) { return tell(.daemonUnsuited(why)) }
                try await client.narrow(to: role)
                self.client.withLock { $0 = client }
                tell(.daemonConnected(hello))
                let events = client.events(Self.kinds, from: point.map { .after($0) } ?? .now)
                point = point?.instance == hello.instance ? point : Self.start(hello)
                while let arrival = try await events.nextArrival() {
                    tell(.event(arrival.event))
                    guard let sequence = arrival.event.sequence else { continue }
                    let last = point?.sequence ?? 0
                    point?.sequence = max(last, sequence)
                    backoff.reset()
                }
                tell(.daemonLost("the connection to the daemon ended"))
            } catch {
                // A number that the daemon does not have, from a message that others may have written.
                if error.reply?.code == .parameterInvalid { point = nil }
                tell(.daemonLost("no connection to the daemon: \(error.message)"))
            }
            self.client.withLock { $0 = nil }
            try? await Task.sleep(for: .milliseconds(backoff.next()))
        }
    }

    private static func start(_ hello: Hello) -> Subscription.Point {
        Subscription.Point(instance: hello.instance, sequence: hello.sequence)
    }

    /// Why the daemon cannot be used. It is asked for less at once; but who gives this program more than it may pass on has made a
    /// mistake, and is told.
    static func complaint(_ hello: Hello) -> String? {
        guard hello.you.roles.contains(.full) else { return nil }
        return
            "the daemon would show cards in full to this program: take its user and groups (and *) out of [access] full in swiped.conf"
    }

    func askReaders() async {
        guard let client = client.withLock({ $0 }) else { return tell(.readers(nil)) }
        tell(.readers(try? await client.readers()))
    }

    func askStatistics() async {
        guard let client = client.withLock({ $0 }), let figures = try? await client.stats() else { return }
        tell(.statistics(figures))
    }

    /// With a claim for the time that it takes: a reader that another program holds stays with it.
    func perform(_ command: CommandDesk.Command) async {
        guard let client = client.withLock({ $0 }) else {
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

    func close() { client.withLock { $0 }?.close() }
}
