/// What came over a serial line since the last time: any number of bytes, cut anywhere.
package struct SerialBytes: Sendable, Hashable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}
