import ArgumentParser
import ReaderCatalog
import ReaderKit
import SwipeClient
import SwipeProtocol

/// Lists, reads and sets what a reader keeps itself.
struct PropertyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "property",
        abstract: "List, read or set the properties that a reader keeps itself.",
        discussion: """
            Without a name it lists the properties that readers of this model can have, without asking the reader. Reading \
            and setting make a claim for the time of the request, unless the user has the role admin.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "One JSON object a line.")
    var json = false

    @Flag(help: "Send the value as text although it is a number.")
    var text = false

    @Argument(help: "The reader: its id, its name, or the beginning of one.", completion: .readers)
    var reader: String

    @Argument(help: "The property; without it, all are listed.", completion: .properties)
    var name: String?

    @Argument(help: "The value to set; without it, the property is read.")
    var value: String?

    func run() async throws {
        try await connection.withClient { client in
            guard let name else { return try await list(client) }
            let request: ControlRequest =
                value.map { .propertySet(name: name, value: wire($0)) } ?? .propertyGet(name: name)
            let answer = try await client.meaning(reader) { try await client.ask(request, of: $0) }
            if json { return try Output.line(answer) }
            try Output.result(words(answer.object?["value"]).printable + "\n")
        }
    }

    private func wire(_ value: String) -> JSONValue {
        guard !text, let number = Int64(value) else { return .string(value) }
        return .integer(number)
    }

    private func words(_ value: JSONValue?) -> String {
        value?.string ?? value?.integer.map { String($0) } ?? ""
    }

    private func list(_ client: SwipeClient) async throws {
        let readers = try await client.readers()
        let id = try ReaderChoice(reader, among: readers).id()
        let properties = readers.filter { $0.id == id }.flatMap { PropertyCommand.properties(of: $0) }
        if json {
            for property in properties { try Output.line(PropertyLine(property: property)) }
        } else {
            try Output.result(table(properties))
        }
    }

    /// What the driver knows that took the reader: the one with its model, else those of its kind.
    static func properties(of reader: ReaderInfo) -> [PropertyDescriptor] {
        let kin = drivers(on: reader.bus).filter { $0.driver.kind == reader.kind }
        let same = kin.filter { $0.driver.matches.contains { $0.model == reader.model } }
        let known = (same.isEmpty ? kin : same).flatMap(\.properties)
        var properties: [PropertyDescriptor] = []
        for property in known where !properties.contains(where: { $0.name == property.name }) {
            properties.append(property)
        }
        return properties
    }

    /// Readers of one maker have a driver of their own on each bus.
    private static func drivers(
        on bus: ReaderBus
    ) -> [(driver: DriverDescriptor, properties: [PropertyDescriptor])] {
        switch bus {
        case .serial: ReaderCatalog.serial.map { ($0.descriptor, $0.properties) }
        case .audio: ReaderCatalog.audio.map { ($0.descriptor, $0.properties) }
        case .usb, .bluetooth, .other: ReaderCatalog.hid.map { ($0.descriptor, $0.properties) }
        }
    }

    private func table(_ properties: [PropertyDescriptor]) -> String {
        guard !properties.isEmpty else { return "Readers of this model have no properties.\n" }
        var table = Table(header: ["PROPERTY", "CAN BE SET", "WHAT IT IS"])
        for property in properties {
            table.append([
                Table.Cell(property.name, .notable), Table.Cell(property.isWritable ? "yes" : "no"),
                Table.Cell(property.summary),
            ])
        }
        return table.text(.forStandardOutput())
    }
}

/// A property of a list, for programs.
private struct PropertyLine: JSONEncodable {
    var property: PropertyDescriptor

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", property.name)
        writer.field("writable", property.isWritable)
        writer.field("summary", property.summary)
        writer.endObject()
    }
}
