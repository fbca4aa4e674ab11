import FoundationEssentials

/// A file of `Tests/Vectors`: a header of lines that begin with `# `, then the vector.
package struct Vector: Sendable {
    package enum Origin: String, Sendable { case published, generated, assumed }

    package struct Invalid: Error, Sendable {
        package var path: String
        package var reason: String
    }

    package var path: String
    package var origin: Origin
    package var text: String

    /// Reads a vector by its path below `Tests/Vectors`.
    package init(_ path: String) throws {
        let file = Self.folder + "/" + path
        var lines = try String(contentsOfFile: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, first.hasPrefix("# origin: "),
            let origin = Origin(rawValue: String(first.dropFirst("# origin: ".count)))
        else { throw Invalid(path: path, reason: "no origin in its first line") }
        lines.removeFirst(lines.prefix { $0.hasPrefix("# ") }.count)
        self.path = path
        self.origin = origin
        text = lines.joined(separator: "\n")
    }

    /// All files below `Tests/Vectors`.
    package static func paths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
            var isFolder = false
            return FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder)
                && !isFolder
        }
    }

    /// The origin that a file names: in its first line, or, where it is JSON, as its member `origin`.
    package static func origin(of path: String) throws -> Origin {
        guard path.hasSuffix(".json") else { return try Vector(path).origin }
        struct Head: Decodable { var origin: String }
        let data = try Data(contentsOf: URL(filePath: folder + "/" + path))
        guard let origin = Origin(rawValue: try JSONDecoder().decode(Head.self, from: data).origin) else {
            throw Invalid(path: path, reason: "no origin")
        }
        return origin
    }

    /// The bytes of a hex vector.
    package func bytes() throws -> [UInt8] {
        guard let bytes = Hex.bytes(text) else { throw Invalid(path: path, reason: "not hex") }
        return bytes
    }

    /// The lines of a text vector, without empty ones.
    package var lines: [String] { text.split(whereSeparator: \.isNewline).map(String.init) }

    /// `Tests/Vectors` of this package.
    package static var folder: String {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/") + "/Tests/Vectors"
    }
}

/// Hex text.
package enum Hex {
    /// The bytes of hex digits; white space separates, anything else makes it nil.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }.map(value)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Upper-case hex digits.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
