import ReaderKit
import ReaderPackets

/// A setting of an ID TECH reader by its name for clients.
struct IDTechProperty: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// One of these characters.
        case choice(String)
        /// ASCII, so many characters at most.
        case text(Int)
        /// A text behind a byte of its length: `<Len> {string length} {string}`.
        case countedText(Int)
        /// One byte.
        case number(ClosedRange<Int>)
        /// One byte that stands for an ASCII character or for none.
        case character
        /// So many bytes.
        case bytes(Int)
        /// Any bytes.
        case settings
        /// ASCII that a command of its own brings, whose letter is the property's number.
        case notice
        /// Nothing to read: 1 does it.
        case action(IDTechCommand)
    }

    var name: String
    var id: UInt8
    var kind: Kind
    var isWritable: Bool
    var summary: String

    var descriptor: PropertyDescriptor {
        PropertyDescriptor(name: name, summary: summary, isWritable: isWritable)
    }

    init(_ name: String, _ id: UInt8, _ kind: Kind, writable: Bool = true, _ summary: String) {
        (self.name, self.id, self.kind, self.isWritable, self.summary) = (name, id, kind, writable, summary)
    }

    /// The command that reads it.
    var getCommand: IDTechCommand {
        get throws(PropertyError) {
            switch kind {
            case .action: throw .refused(reason: "it can only be set")
            case .notice: return .notice(id)
            case .choice, .text, .countedText, .number, .character, .bytes, .settings: return .read(id)
            }
        }
    }

    func decode(_ data: [UInt8]) throws(PropertyError) -> PropertyValue {
        switch kind {
        case .choice, .text, .countedText, .notice:
            let text = Self.uncounted(data)
            guard text.allSatisfy(Self.isPrintable) else { return .bytes(text) }
            return .text(String(decoding: text, as: UTF8.self))
        case .number, .character:
            guard data.count == 1 else { throw .refused(reason: IDTechResponse.Refusal.malformed.rawValue) }
            guard kind == .character, Self.isPrintable(data[0]) else { return .number(Int(data[0])) }
            return .text(String(UnicodeScalar(data[0])))
        case .bytes, .settings: return .bytes(data)
        case .action: throw .refused(reason: "it can only be set")
        }
    }

    func setCommand(_ value: PropertyValue) throws(PropertyError) -> IDTechCommand {
        guard isWritable else { throw .readOnly }
        switch (kind, value) {
        case (.choice(let allowed), .text(let text))
        where text.utf8.count == 1 && allowed.contains(Character(text)):
            return .set(id, Array(text.utf8))
        // Who knows the values as numbers means the same.
        case (.choice(let allowed), .number(let number))
        where (0...9).contains(number) && allowed.contains(Character("\(number)")):
            return .set(id, Array("\(number)".utf8))
        case (.text(let longest), .text(let text)) where Self.fits(text, longest):
            return .set(id, Array(text.utf8))
        case (.countedText(let longest), .text(let text)) where Self.fits(text, longest):
            return .set(id, [UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8))
        case (.number(let range), .number(let number)) where range.contains(number):
            return .set(id, [UInt8(truncatingIfNeeded: number)])
        case (.character, .text(let text))
        where text.utf8.count == 1 && text.utf8.allSatisfy(Self.isPrintable):
            return .set(id, Array(text.utf8))
        case (.character, .number(let number)) where (0...0x7F).contains(number):
            return .set(id, [UInt8(truncatingIfNeeded: number)])
        case (.bytes(let count), let value):
            guard let bytes = value.bytes(count) else { throw .badValue(allowed) }
            return .set(id, bytes)
        case (.action(let command), .number(1)): return command
        case (.choice, _), (.text, _), (.countedText, _), (.number, _), (.character, _), (.settings, _),
            (.notice, _), (.action, _):
            throw .badValue(allowed)
        }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    private static func fits(_ text: String, _ longest: Int) -> Bool {
        text.utf8.count <= longest && text.utf8.allSatisfy { $0 > 0 && $0 < 0x7F }
    }

    /// A text without the byte of its length, where it begins with one.
    static func uncounted(_ data: [UInt8]) -> [UInt8] {
        guard let count = data.first, count < 0x20, Int(count) == data.count - 1 else { return data }
        return Array(data.dropFirst())
    }

    private var allowed: String {
        switch kind {
        case .choice(let characters): "one of the characters \(characters)"
        case .text(let longest), .countedText(let longest): "a text of at most \(longest) ASCII characters"
        case .number(let range): "a number, \(range.lowerBound) to \(range.upperBound)"
        case .character: "one ASCII character, or its number"
        case .bytes(let count): "\(count) bytes, as hex"
        case .settings, .notice: "none: it can only be read"
        case .action: "1"
        }
    }
}
