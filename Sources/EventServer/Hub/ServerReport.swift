package import SwipeProtocol

/// What the server counts, and what is true at the moment: the answer to `stats`, and what metrics are made of.
package struct ServerReport: JSONEncodable, Sendable {
    /// One reader that is there, or was.
    package struct Reader: Sendable {
        package var id: String
        /// What is known of it; nil when it is gone.
        package var info: ReaderInfo?
        package var isClaimed: Bool
        package var counts: ReaderStatistics
    }

    package var statistics = ServerStatistics()
    /// When it was made, by CLOCK_MONOTONIC.
    package var at: UInt64 = 0
    /// The number of the last event.
    package var sequence: UInt64 = 0
    package var readers: [Reader] = []

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("server", statistics)
        writer.name("readers")
        writer.beginObject()
        for reader in readers {
            writer.name(reader.id)
            reader.counts.write(to: &writer, at: at)
        }
        writer.endObject()
        writer.endObject()
    }
}
