import SwipeClient
import SwipeProtocol

/// Asks the daemon for levels and swipes, and hands on what changes.
struct Meter: Sendable {
    enum What: Sendable {
        case level(SoundLevel)
        case swipe
        /// Nothing is listened to any more.
        case closed
        /// The gain was set, to so many percent.
        case gain(Int)
        /// The gain could not be set.
        case complaint(String)
    }

    struct Change: Sendable {
        var what: What
        var model: MeterModel
    }

    private static let period = Duration.milliseconds(100)

    let client: SwipeClient
    let reader: String
    let count: Int?
    /// Whether the gain is set as each swipe advises.
    var setsGain = false
    /// When people want the gain to be set; nil where nobody can say so.
    var wishes: (@Sendable () -> Bool)?

    /// Until as many tenths of a second have passed as wanted, with a level or, while nothing is listened to, without; or something fails.
    func run(_ body: @escaping @Sendable (Change) async throws -> Void) async throws {
        let desk = Desk(body, GainSetting(client: client, reader: reader))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await levels(desk) }
            group.addTask { try await swipes(desk) }
            if let wishes { group.addTask { try await obey(wishes, desk) } }
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
            guard case .swipe(let swipe) = event.body else { continue }
            try await desk.take(swipe, at: event.time)
            guard setsGain else { continue }
            // The levels of its passage come up to a period later.
            try await Task.sleep(for: Self.period * 3)
            try await desk.setGain()
        }
    }

    private func obey(_ wishes: @Sendable () -> Bool, _ desk: Desk) async throws {
        while true {
            try await Task.sleep(for: Self.period / 2)
            guard wishes() else { continue }
            do {
                try await desk.setGain()
            } catch let failure as CommandFailure {
                try await desk.complain("\(failure)")
            } catch let failure as SwipeClientError where failure.reply != nil {
                try await desk.complain("\(failure)")
            }
        }
    }

    /// One change after the other.
    private actor Desk {
        private var model = MeterModel()
        private let body: @Sendable (Change) async throws -> Void
        private let setting: GainSetting

        init(_ body: @escaping @Sendable (Change) async throws -> Void, _ setting: GainSetting) {
            self.body = body
            self.setting = setting
        }

        /// Does what is advised now; nothing where nothing is.
        func setGain() async throws {
            switch model.gain {
            case .unknown, .keep: return
            case .raise, .lower: break
            }
            let percent = try await setting.follow(model.gain)
            model.set(gain: percent)
            try await body(Change(what: .gain(percent), model: model))
        }

        func complain(_ words: String) async throws {
            model.complain(words)
            try await body(Change(what: .complaint(words), model: model))
        }

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
