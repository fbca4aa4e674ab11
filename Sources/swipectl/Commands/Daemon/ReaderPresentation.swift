import SwipeProtocol

/// Readers as people see them.
struct ReaderPresentation {
    let style: Style

    /// One line a reader; one line that says so where there is none.
    func table(_ readers: [ReaderInfo]) -> String {
        guard !readers.isEmpty else { return "No reader is attached.\n" }
        // Most have no names, and a terminal is narrow.
        let areNamed = readers.contains { $0.name != nil }
        var table = Table(
            header: ["READER"] + (areNamed ? ["NAME"] : []) + ["STATE", "ENCRYPTION", "BUS", "MODEL"])
        for reader in readers.sorted(by: { $0.id < $1.id }) {
            let name = areNamed ? [Table.Cell(reader.name ?? "", .notable)] : []
            table.append(
                [Table.Cell(reader.id, .notable)] + name + [
                    Table.Cell(reader.state.rawValue, color(reader.state)),
                    Table.Cell(reader.encryption.words), Table.Cell(reader.bus.rawValue),
                    Table.Cell(reader.model + (reader.isSimulated ? " (simulated)" : "")),
                ])
        }
        let details = readers.compactMap { reader in
            reader.detail.map { "\(reader.id.printable): \($0.printable)\n" }
        }
        let held = readers.compactMap { reader in reader.held.map { "\(reader.id.printable): \($0.words)\n" }
        }
        return table.text(style) + details.joined() + held.joined()
    }

    /// One line a sound input that is given to a reader: whether it is listened to, and why; nothing where there is none.
    func table(_ inputs: [AudioInputInfo]) -> String {
        guard !inputs.isEmpty else { return "" }
        var table = Table(header: ["SOUND INPUT", "EXPECTS", "ACOUSTICS", "MICROPHONE", "BECAUSE"])
        for input in inputs.sorted(by: { $0.id < $1.id }) {
            table.append([
                Table.Cell(input.id, .notable), Table.Cell(input.type.rawValue),
                Table.Cell(input.isAssumed ? "assumed" : input.profile ?? "none needed"),
                Table.Cell(input.isListening ? "open" : "closed"), Table.Cell(input.why),
            ])
        }
        return "\n" + table.text(style)
    }

    /// One line a section of the configuration whose sound card or serial line is not used; nothing where there is none.
    func table(_ unused: [UnusedInputInfo]) -> String {
        guard !unused.isEmpty else { return "" }
        var table = Table(header: ["NOT USED", "DEVICE", "BECAUSE"])
        for input in unused {
            table.append([
                Table.Cell("[\(input.section)]", .bad), Table.Cell(input.device), Table.Cell(input.why),
            ])
        }
        return "\n" + table.text(style)
    }

    /// Everything that is known of one reader, a line each.
    func card(_ reader: ReaderInfo) -> String {
        let lines: [(name: String, value: String?)] = [
            ("reader", reader.id), ("name", reader.name), ("model", reader.model), ("kind", reader.kind),
            ("serial", reader.serial),
            ("firmware", reader.firmware), ("bus", reader.bus.rawValue), ("port", reader.port),
            ("held", reader.held?.words), ("encryption", reader.encryption.words),
            ("state", reader.state.rawValue),
            ("detail", reader.detail),
            ("ready until", reader.expiresAt?.description), ("attachment", String(reader.attachment)),
            ("claimed by", reader.claimedBy.map { "uid \($0.uid), pid \($0.pid)" }),
            ("simulated", reader.isSimulated ? "yes" : nil),
        ]
        return facts(lines)
    }

    /// Names and values in two columns; what has no value is left out.
    func facts(_ lines: [(name: String, value: String?)]) -> String {
        let known = lines.filter { $0.value != nil }
        let width = known.map(\.name.count).max() ?? 0
        return known.map { line in
            style.paint(line.name.padded(to: width), .faint) + "  \((line.value ?? "").printable)\n"
        }.joined()
    }

    private func color(_ state: ReaderState) -> Style.Color? {
        switch state {
        case .ready, .reading: .good
        case .failed, .unsupported: .bad
        case .connected, .activating, .active, .autodetecting, .suspended: nil
        }
    }
}

extension ReaderEncryption {
    /// The state in words.
    var words: String {
        switch self {
        case .unknown: "unknown"
        case .clear: "none (clear)"
        case .encrypted: "encrypted"
        case .keyExhausted: "key exhausted"
        case .noKey: "no key"
        }
    }
}

extension ReaderHold {
    /// How it is held, and what a person would see without the daemon.
    var words: String {
        switch self {
        case .grabbed: "taken out of the focus; while the daemon is away it types into the focus"
        case .inhibited: "its input is inhibited; it types nothing, also while the daemon is away"
        }
    }
}
