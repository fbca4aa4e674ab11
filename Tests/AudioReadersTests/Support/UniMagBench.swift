import AudioReaders
import CardData
import ReaderKit
import ReaderTesting

/// A UniMag reader with its daemon's side, and the names of what happened.
enum UniMagBench {
    typealias Bench = LifeBench<UniMagDriver>

    static func isSwipe(_ event: ReaderEvent) -> Bool { if case .swipe = event { true } else { false } }

    static func names(_ events: [ReaderEvent]) -> [String] {
        events.map { event in
            switch event {
            case .connect: "connect"
            case .identified: "identified"
            case .activate(let result, let why): "activate \(result.rawValue)\(why == nil ? "" : ": why")"
            case .deactivate: "deactivate"
            case .ready: "ready"
            case .unready(let reason): "unready \(reason.rawValue)"
            case .swipeStarted: "swipe started"
            case .swipe(let swipe): swipe.card == nil ? "unreadable" : "card"
            case .disconnect: "disconnect"
            case .notice(let notice): String("\(notice)".prefix(while: \.isLetter))
            case .promptShown(let prompt): "prompt \(prompt.kind.rawValue)"
            case .promptClosed(_, let closure): "prompt closed \(closure.rawValue)"
            case .testCompleted(let answered, _): "test \(answered)"
            case .autodetectStarted: "autodetect started"
            case .autodetectCompleted(let result, _): "autodetect \(result.rawValue)"
            }
        }
    }
}
