/// Text that must not be shown, logged or stored: a track, a card number, a name.
///
/// It has no description that prints its content, is not `Codable`, and compares in full only with its own kind.
/// Whoever needs the content calls ``reveal()``, which is easy to find in a review.
public struct SensitiveText: Sendable, Hashable {
    private let bytes: [UInt8]

    /// Wraps ASCII or UTF-8 text.
    public init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Wraps bytes that are ASCII or UTF-8.
    public init(utf8 bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// How many bytes the text has.
    public var count: Int { bytes.count }

    /// The content in clear. The caller answers for where it goes.
    public func reveal() -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The content in clear, as bytes.
    public func revealBytes() -> [UInt8] { bytes }
}

extension SensitiveText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length alone.
    public var description: String { "<\(bytes.count) characters withheld>" }
    /// The length alone.
    public var debugDescription: String { description }
    /// No children: `dump` and test failure messages show nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
