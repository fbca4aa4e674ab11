import SwipeClient
import SwipeProtocol

/// Asks the daemon for levels and swipes, and hands on what changes.
struct Meter: Sendable {
    enum What: Sendable {
        case level(SoundLevel)
        case swipe
        /// Nothing is listened to any more.
        case closed
    }

    struct Change: Sendable {
        var what: What
        var model: MeterModel
    }

    private static let period = Duration.milliseconds(100)

    let client: SwipeClient
    let reader: String
    let count: Int?

    /// Until as many tenths of a second have passed as wanted, with a level or, while nothing is listened to, without; or something fails.
    func run(_ body: @escaping @Sendable (Change) async throws -> Void) async throws {
        let desk = Desk(body)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await levels(desk) }
            group.addTask { try await swipes(desk) }
            try await group.next()
            group.cancelAll()
        }
    }

    private func levels(_ desk: Desk) async throws {
        var (last, shown, missed): (UInt64?, Int, Int) = (nil, 0, 0)
        while count.map({ shown + missed < $0 }) ?? true {
            if let levels = try await MeterCommand.levels(client, of: reader, after: last) {
                // A meter that begins anew counts on, a daemon that does counts from the beginning; it ends this one.
                for level in levels.prefix((count ?? .max) - shown - missed) {
                    try await desk.take(level)
                    shown += 1
                }
                last = levels.last?.number ?? last
            } else {
                try await desk.close()
                missed += 1
            }
            try await Task.sleep(for: Self.period)
        }
        guard shown == 0 else { return }
        throw CommandFailure(.failure, "the microphone was closed all the time: there was no level")
    }

    private func swipes(_ desk: Desk) async throws {
        let events = client.events([.swipe], readers: [reader])
        while let event = try await events.nextArrival()?.event {
            if case .swipe(let swipe) = event.body { try await desk.take(swipe, at: event.time) }
        }
    }

    /// One change after the other.
    private actor Desk {
        private var model = MeterModel()
        private let body: @Sendable (Change) async throws -> Void

        init(_ body: @escaping @Sendable (Change) async throws -> Void) { self.body = body }

        func take(_ level: SoundLevel) async throws {
            model.take(level)
            try await body(Change(what: .level(level), model: model))
        }

        func take(_ swipe: SwipeData, at time: WallTime) async throws {
            model.take(swipe, at: time)
            try await body(Change(what: .swipe, model: model))
        }

        func close() async throws {
            guard !model.isClosed else { return }
            model.close()
            try await body(Change(what: .closed, model: model))
        }
    }
}
