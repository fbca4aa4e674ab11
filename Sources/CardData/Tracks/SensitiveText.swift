internal import CSensitiveMemory

/// Text that must not be shown, logged or stored: a track, a card number, a name.
///
/// It has no description that prints its content, is not `Codable`, and compares in full only with its own kind.
/// Whoever needs the content calls ``reveal()`` or ``withRevealedBytes(_:)``, which are easy to find in a review.
/// The bytes are in locked memory that core dumps leave out; copies share them, and they are wiped when the last
/// copy goes. A `String` or an array made from them is not: the code that a swipe passes through avoids both.
public struct SensitiveText: Sendable {
    private let storage: SensitiveBytes

    /// Wraps ASCII or UTF-8 text. The caller's string stays as it is.
    public init(_ text: String) {
        storage = SensitiveBytes(text.utf8)
    }

    /// Wraps bytes that are ASCII or UTF-8. The caller's bytes stay as they are.
    public init(utf8 bytes: some Sequence<UInt8>) {
        if let contiguous = bytes.withContiguousStorageIfAvailable({ SensitiveBytes($0) }) {
            storage = contiguous
        } else {
            storage = SensitiveBytes(Array(bytes))
        }
    }

    /// Text that is put together in place, so that no copy of it is left anywhere.
    ///
    /// - Parameters:
    ///   - count: how many bytes it has.
    ///   - fill: writes them; they are zero before.
    public init(count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        storage = SensitiveBytes(count: max(count, 0), filledBy: fill)
    }

    /// How many bytes the text has.
    public var count: Int { storage.count }

    /// The content in clear, in memory that is not wiped. The caller answers for where it goes.
    public func reveal() -> String {
        withRevealedBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The content in clear, as bytes, in memory that is not wiped.
    public func revealBytes() -> [UInt8] {
        withRevealedBytes { Array($0) }
    }

    /// Lends the content in clear for the time of a call, without a copy. It must not be kept.
    public func withRevealedBytes<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.bytes)
    }
}

extension SensitiveText: Hashable {
    /// Whether both have the same bytes.
    public static func == (left: SensitiveText, right: SensitiveText) -> Bool {
        left.storage === right.storage || left.storage.bytes.elementsEqual(right.storage.bytes)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes: UnsafeRawBufferPointer(storage.bytes))
    }
}

extension SensitiveText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length alone.
    public var description: String { "<\(count) characters withheld>" }
    /// The length alone.
    public var debugDescription: String { description }
    /// No children: `dump` and test failure messages show nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The owner of the bytes: locked memory, wiped when the last reference goes.
private final class SensitiveBytes: Sendable {
    // Written in the initialiser, never after: any thread may read it.
    private nonisolated(unsafe) let base: UnsafeMutablePointer<UInt8>
    private let isFromArena: Bool
    let count: Int

    convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { _ = $0.update(fromContentsOf: bytes) }
    }

    init(count: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        self.count = count
        let start: UnsafeMutablePointer<UInt8>
        if let memory = swiped_sensitive_allocate(count) {
            start = memory.assumingMemoryBound(to: UInt8.self)
            isFromArena = true
        } else {
            start = .allocate(capacity: count)
            isFromArena = false
        }
        base = start
        let bytes = UnsafeMutableBufferPointer(start: start, count: count)
        bytes.initialize(repeating: 0)
        fill(bytes)
    }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    deinit {
        if isFromArena {
            swiped_sensitive_free(base, count)
        } else {
            swiped_wipe(base, count)
            base.deallocate()
        }
    }
}
