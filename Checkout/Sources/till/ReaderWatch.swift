import SwipeClient
import TillScreen

/// Holds a reader through the daemon for as long as it runs, and tells what happens at it.
struct ReaderWatch: Sendable {
    /// The daemon's socket.
    let socket: String
    /// Which reader; nil for the first one that is there.
    let reader: String?
    let tell: @Sendable (TillInput) -> Void
    private let pulse: DaemonPulse

    /// Between two attempts to reach the daemon, or a reader that another program holds.
    private static let pause = Duration.seconds(2)

    init(socket: String, reader: String?, tell: @escaping @Sendable (TillInput) -> Void) {
        self.socket = socket
        self.reader = reader
        let pulse = DaemonPulse(socket: socket) { tell(.reader($0)) }
        self.pulse = pulse
        self.tell = { input in
            if case .reader(let news) = input { pulse.take(news) } else { tell(input) }
        }
    }

    /// Until the task is cancelled.
    ///
    /// The client does not go on over interruptions by itself: whoever holds a card has to see at once that nobody reads it.
    func run() async {
        let client = SwipeClient(path: socket, reconnects: false)
        var mode = ClaimMode.ask
        var wasThere = false
        while !Task.isCancelled {
            let feeling = Task { [pulse] in await pulse.run() }
            defer { feeling.cancel() }
            do {
                let info = try await find(client)
                wasThere = true
                try await hold(info, mode, client)
            } catch let error as SwipeClientError {
                wasThere = wasThere || error.code == .connectionLost
                feeling.cancel()
                tell(.reader(news(of: error, wasThere)))
                if error.code == .denied { return }
                // Two tills that both ask for one reader would take it from each other for ever.
                if error.code == .claimed || error.code == .claimLost { mode = .tryOnly }
            } catch {
                return
            }
            try? await Task.sleep(for: Self.pause)
        }
        client.close()
    }

    private func news(of error: SwipeClientError, _ wasThere: Bool) -> ReaderNews {
        switch error.code {
        case .denied: .denied
        case .claimed, .claimLost: .busy(reader ?? "the reader")
        case .noSuchReader: .noReader
        case .timedOut: .mute
        default: wasThere ? .daemonGone : .noDaemon
        }
    }

    /// The reader, as soon as it is there.
    private func find(_ client: SwipeClient) async throws -> ReaderInfo {
        let there = try await client.readers()
        if let info = there.first(where: isWanted) { return info }
        tell(.reader(.noReader))
        for try await event in client.events([.connect]) {
            if case .connect(let info) = event.body, isWanted(info) { return info }
        }
        throw CancellationError()
    }

    private func isWanted(_ info: ReaderInfo) -> Bool {
        info.state != .unsupported && (reader == nil || info.id == reader)
    }

    /// Claims the reader and follows it, also over unplugging, until it cannot be held any more.
    private func hold(_ info: ReaderInfo, _ mode: ClaimMode, _ client: SwipeClient) async throws {
        try await client.withClaim(info.id, mode: mode) { claimed in
            // Events first, so that nothing of what the requests below cause is missed.
            let events = claimed.events([
                .connect, .disconnect, .activate, .ready, .unready, .swipeStart, .swipe,
            ])
            let name = shortName(info)
            tell(.reader(info.state == .ready ? .ready(name) : .notReady(name)))
            for try await event in events {
                await follow(event, name, claimed)
            }
        }
    }

    /// The model without what stands in brackets: a screen is 80 columns wide.
    private func shortName(_ info: ReaderInfo) -> String {
        let name = info.model.prefix { $0 != "(" }
        return String(name.last == " " ? name.dropLast() : name)
    }

    private func follow(_ event: Event, _ name: String, _ claimed: ClaimedReader) async {
        switch event.body {
        case .connect(let info): await wake(claimed, info.state, name)
        case .activate(.success, _): await ask(claimed)
        case .ready: tell(.reader(.ready(name)))
        case .unready(let reason, _):
            if reason != .refreshing { tell(.reader(.notReady(name))) }
            if reason == .timeout || reason == .swiped { await ask(claimed) }
        case .swipeStart: tell(.reader(.reading(name)))
        case .swipe(let swipe):
            tell(.swipe(SwipedInput(swipe: swipe)))
            tell(.reader(.ready(name)))
        case .disconnect: tell(.reader(.gone(name)))
        // Not a list of all others: the protocol grows, and what was not asked for above does not come.
        default: break
        }
    }

    private func wake(_ claimed: ClaimedReader, _ state: ReaderState, _ name: String) async {
        switch state {
        case .connected: _ = try? await claimed.control(.activate)
        case .active: await ask(claimed)
        case .ready, .reading: tell(.reader(.ready(name)))
        case .activating, .autodetecting, .suspended, .failed, .unsupported: tell(.reader(.notReady(name)))
        }
    }

    /// Readers that accept swipes all the time refuse this, which does no harm.
    private func ask(_ claimed: ClaimedReader) async { try? await claimed.requestSwipe() }
}

/// A swipe on its way to the form.
struct SwipedInput: Sendable {
    let swipe: SwipeData
}
