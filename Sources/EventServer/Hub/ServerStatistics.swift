package import SwipeProtocol

/// What the server counts about itself, since it started.
package struct ServerStatistics: JSONEncodable, Sendable {
    package var connectionsAccepted: UInt64 = 0
    package var connectionsRefused: UInt64 = 0
    package var connectionsOpen = 0
    package var slowClients: UInt64 = 0
    package var requests: UInt64 = 0
    package var linesRefused: UInt64 = 0
    package var eventsPublished: UInt64 = 0
    package var eventsDelivered: UInt64 = 0
    package var eventsCoalesced: UInt64 = 0

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("connections_open", connectionsOpen)
        writer.field("connections_accepted", connectionsAccepted)
        writer.field("connections_refused", connectionsRefused)
        writer.field("slow_clients", slowClients)
        writer.field("requests", requests)
        writer.field("lines_refused", linesRefused)
        writer.field("events_published", eventsPublished)
        writer.field("events_delivered", eventsDelivered)
        writer.field("events_coalesced", eventsCoalesced)
        writer.endObject()
    }
}
