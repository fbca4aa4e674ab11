/// A value that is written out once, for what is sent often and never changes.
package struct EncodedJSON: JSONEncodable, Sendable {
    private let bytes: [UInt8]

    package init(_ value: some JSONEncodable) {
        var writer = JSONWriter()
        value.write(to: &writer)
        // Without the newline.
        bytes = writer.finish().withBytes { Array($0.dropLast()) }
    }

    package func write(to writer: inout JSONWriter) { writer.write(encoded: bytes) }
}
