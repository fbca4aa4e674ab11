import ReaderKit

/// What a reader that types is read from: an event device, or the reports of one whose input is inhibited.
protocol KeySource: ~Copyable {
    /// To poll: there is something to read.
    var descriptor: Int32 { get }

    /// What there is now, in its order; empty where there is nothing. Throws ``DeviceError/gone`` after an unplug.
    mutating func read() throws(DeviceError) -> [KeyInput]
}
