/// Gathers what one burst of a reader says, without its preamble.
package struct BurstCollector: Sendable {
    /// What a reader said in one burst.
    package struct Message: Sendable, Hashable {
        package var bytes: [UInt8]
        /// A byte of it was not heard right, or it was longer than anything that these readers send.
        package var isDamaged: Bool

        package init(bytes: [UInt8], isDamaged: Bool = false) {
            self.bytes = bytes
            self.isDamaged = isDamaged
        }
    }

    /// The longest packet of ID TECH's with three tracks, hashes and a session is below 700 bytes.
    package static let maximumBytes = 1_024
    /// What alternating bits look like as bytes, wherever the first one was heard, and where they turn into ones.
    private static let preamble: Set<UInt8> = [0x55, 0xD5, 0xF5, 0xFD, 0xFF]

    private var bytes: [UInt8] = []
    private var isDamaged = false
    /// The last thing heard was no byte. At the end of a burst that is the line being let go.
    private var endsInError = false

    package init() {}

    /// The bytes of the present message.
    package var count: Int { bytes.count }

    /// The message that this event completes. Nil also for a burst of nothing but a preamble.
    package mutating func receive(_ event: AcousticEvent) -> Message? {
        switch event {
        case .burstStarted: reset()
        case .byte(let byte): add(byte)
        case .framingError, .parityError:
            // In the preamble a byte may begin anywhere.
            if !bytes.isEmpty { endsInError = true }
        case .burstEnded:
            defer { reset() }
            return bytes.isEmpty ? nil : Message(bytes: bytes, isDamaged: isDamaged)
        }
        return nil
    }

    private mutating func add(_ byte: UInt8) {
        guard !bytes.isEmpty || !Self.preamble.contains(byte) else { return }
        if endsInError { isDamaged = true }
        guard bytes.count < Self.maximumBytes else {
            isDamaged = true
            return
        }
        bytes.append(byte)
    }

    package mutating func reset() {
        bytes = []
        isDamaged = false
        endsInError = false
    }
}
