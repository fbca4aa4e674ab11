internal import NIOCore

/// An XML document as the Query API's examples have them: elements with texts, a declaration, comments, attributes that are
/// passed over, and the five entities. Nothing else of XML: a document type or a section is no answer.
struct XMLTree {
    let name: String
    private(set) var children: [XMLTree] = []
    private(set) var content = ""

    /// How deep elements may be in each other.
    private static let deepest = 16

    private init(name: String) { self.name = name }

    /// The document's element; nil where it is not whole.
    init?(_ body: ByteBuffer) {
        var rest = Array(body.readableBytesView)[...]
        var open: [XMLTree] = []
        while let byte = rest.first {
            if byte != UInt8(ascii: "<") {
                let text = rest.prefix { $0 != UInt8(ascii: "<") }
                rest = rest.dropFirst(text.count)
                guard let plain = Self.unescaped(text) else { return nil }
                if open.isEmpty {
                    guard plain.allSatisfy(\.isWhitespace) else { return nil }
                } else {
                    open[open.count - 1].content += plain
                }
                continue
            }
            if rest.starts(with: Array("<!--".utf8)) {
                guard let end = Self.end(of: "-->", in: rest) else { return nil }
                rest = rest[end...]
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            let tag = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if tag.hasPrefix("?") { continue }
            if tag.hasPrefix("/") {
                guard let last = open.popLast(), last.name == tag.dropFirst() else { return nil }
                guard !open.isEmpty else {
                    guard rest.allSatisfy({ $0 == 10 || $0 == 13 || $0 == 32 || $0 == 9 }) else { return nil }
                    self = last
                    return
                }
                open[open.count - 1].children.append(last)
                continue
            }
            let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
            guard !name.isEmpty,
                name.utf8.allSatisfy({ $0 == 95 || (48...57).contains($0) || (97...122).contains($0 | 32) }),
                open.count < Self.deepest
            else { return nil }
            if tag.hasSuffix("/") {
                guard !open.isEmpty else { return nil }
                open[open.count - 1].children.append(XMLTree(name: name))
            } else {
                open.append(XMLTree(name: name))
            }
        }
        return nil
    }

    func first(_ name: String) -> XMLTree? { children.first { $0.name == name } }

    /// The text of a child.
    func text(_ name: String) -> String? { first(name)?.content }

    private static func end(of mark: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let mark = Array(mark.utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("&") else { return text }
        let parts = text.split(separator: "&", omittingEmptySubsequences: false)
        var result = parts.first.map(String.init) ?? ""
        for part in parts.dropFirst() {
            let known = entities.first { part.hasPrefix($0.0) }
            guard let known else { return nil }
            result += known.1 + part.dropFirst(known.0.count)
        }
        return result
    }

    private static let entities = [
        ("amp;", "&"), ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("apos;", "'"),
    ]
}
