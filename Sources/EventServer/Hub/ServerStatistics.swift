package import SwipeProtocol

/// What the server counts about itself, since it started.
package struct ServerStatistics: JSONEncodable, Sendable {
    package var connectionsAccepted: UInt64 = 0
    package var connectionsRefused: UInt64 = 0
    package var connectionsOpen = 0
    /// How many connections there may be, and how many descriptors the daemon may have for them and all else.
    package var connectionsLimit = 0
    package var descriptorsLimit = 0
    package var slowClients: UInt64 = 0
    package var requests: UInt64 = 0
    package var linesRefused: UInt64 = 0
    package var eventsPublished: UInt64 = 0
    package var eventsDelivered: UInt64 = 0
    package var eventsCoalesced: UInt64 = 0
    /// Whether card data has always been in memory that is never swapped out.
    package var memoryIsLocked: Bool { CardMemory.isLocked }

    package func value(of counter: ServerCounter) -> UInt64 {
        switch counter {
        case .connectionsOpen: UInt64(clamping: connectionsOpen)
        case .connectionsLimit: UInt64(clamping: connectionsLimit)
        case .descriptorsLimit: UInt64(clamping: descriptorsLimit)
        case .connectionsAccepted: connectionsAccepted
        case .connectionsRefused: connectionsRefused
        case .slowClients: slowClients
        case .requests: requests
        case .linesRefused: linesRefused
        case .eventsPublished: eventsPublished
        case .eventsDelivered: eventsDelivered
        case .eventsCoalesced: eventsCoalesced
        }
    }

    package func write(to writer: inout JSONWriter) {
        ServerFigures(isMemoryLocked: memoryIsLocked, value: value).write(to: &writer)
    }
}
