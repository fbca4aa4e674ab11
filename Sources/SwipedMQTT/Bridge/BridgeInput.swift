internal import SwipeProtocol

/// What the bridge is told.
enum BridgeInput: Sendable {
    /// The daemon let us in, and shows no more than was asked for.
    case daemonConnected(Hello)
    case daemonLost(String)
    /// The daemon is there, and gives this program no role by which it sees what is to be published.
    case daemonShowsTooLittle(String)
    /// The daemon would show cards in full, or leaves more than was asked for: it cannot be used.
    case daemonUnsuited(String)
    case event(Event)
    /// The readers as they are; nil where the daemon did not say.
    case readers([ReaderInfo]?)
    case statistics(JSONValue)
    /// - Parameter connection: the number of the connection that tells it.
    case broker(connection: Int, BrokerNews)
    /// What the daemon says to a command.
    case answered(CommandDesk.Command, Result<JSONValue, ErrorReply>)
    /// Some time has passed.
    case tick
    /// The program is to end.
    case stop
}

/// What the bridge wants done.
enum BridgeAction: Sendable, Hashable {
    /// Connect to the daemon, and go on after that event where there is one.
    case beginDaemon(after: Subscription.Point?)
    case askReaders
    case askStatistics
    case subscribe(String)
    case unsubscribe(String)
    /// End this connection to the broker, which does not answer, and make another.
    case giveUpBroker(connection: Int)
    /// Do it, with a claim of its own on the reader, and tell what came of it.
    case perform(CommandDesk.Command)
    case log(BridgeLogLine)
    /// The program ends: it must not go on.
    case fail
    /// All is said: the program may end.
    case end
}

/// A line of the log. Nothing of a card is ever in one.
struct BridgeLogLine: Sendable, Hashable {
    enum Level: Sendable, Hashable {
        case info, warning, error
    }

    var level: Level
    var event: String
    var words: String
    var details: [String: String] = [:]
}

/// A point in time.
struct Moment: Sendable, Hashable {
    /// CLOCK_BOOTTIME in nanoseconds: it goes on while the machine sleeps, and nobody wants a swipe of before that.
    var monotonic: UInt64
    /// CLOCK_MONOTONIC in nanoseconds, by which the daemon says when something happened.
    var awake: UInt64
    var wall: WallTime
}
