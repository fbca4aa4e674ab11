import CardData
import ReaderKit
import ReaderTesting
import SwipeProtocol
import Testing

@testable import SwipeDaemon
@testable import SwipedMQTT

/// Swipes for the broker.
enum PublishedSwipes {
    static func event(_ swipe: SwipeData, sequence: UInt64? = 7) -> Event {
        Event(
            sequence: sequence, time: WallTime(microseconds: 0), monotonicNanoseconds: 1, reader: "reader",
            attachment: 1, body: .swipe(swipe))
    }

    static func swipe(_ texts: [String], _ view: View) -> SwipeData {
        let readings = texts.enumerated().map { index, text in
            TrackReading(track: index + 1, outcome: text.isEmpty ? .empty : .read(SensitiveText(text)))
        }
        return SwipeDisclosure.data(
            of: Swipe(tracks: readings, card: Card.recognise(readings)), for: view)
    }

    static func text(_ swipe: SwipeData, _ fields: FieldSet) throws -> String {
        String(
            decoding: try #require(PublishedSwipe.line(event(swipe), instance: "abc", fields)), as: UTF8.self)
    }

    /// What the protocol's schema says of a line, but for the one member that is ours.
    static func complaint(_ line: [UInt8]) throws -> String? {
        var object = try #require(try JSONReader.value(of: line).object)
        object.members.removeAll { $0.name == "event_id" }
        return SchemaChecker().complaint(about: .object(object))
    }
}
