internal import CSensitiveMemory

/// One encoded line, newline included: made once for each view and shared by all who get it.
///
/// Card data that was written into it is in locked memory and is wiped when the last holder lets go.
package final class EncodedLine: Sendable {
    // Written by JSONWriter before the line exists, never after: any thread may read it.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    private let capacity: Int
    /// How many bytes the line has.
    package let count: Int
    /// Whether it carries card data in clear.
    package let isSensitive: Bool

    init(base: UnsafeMutableRawPointer, capacity: Int, count: Int, isSensitive: Bool) {
        self.base = base
        self.capacity = capacity
        self.count = count
        self.isSensitive = isSensitive
    }

    deinit { LineMemory.free(base, capacity: capacity, isSensitive: isSensitive) }

    /// Lends the bytes. They must not be kept.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes, valid as long as the line is held.
    package var unsafeBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// The line as text, newline included. For tests and tools.
    package var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Where lines live: plain memory, or the locked arena for those with card data.
enum LineMemory {
    static func allocate(_ capacity: Int, isSensitive: Bool) -> UnsafeMutableRawPointer {
        if isSensitive, let pointer = swiped_sensitive_allocate(capacity) { return pointer }
        return .allocate(byteCount: capacity, alignment: 16)
    }

    static func free(_ pointer: UnsafeMutableRawPointer, capacity: Int, isSensitive: Bool) {
        if isSensitive { swiped_sensitive_free(pointer, capacity) } else { pointer.deallocate() }
    }
}
