extension TrackFormat {
    /// Why a text cannot be written in a format.
    public enum EncodingError: Error, Sendable, Hashable {
        /// The character at `index` is not in the format's alphabet.
        case notInAlphabet(index: Int)
        /// The text with its LRC is longer than the format allows.
        case tooLong(characters: Int, maximum: Int)
    }

    /// The bits of a text in the order in which they pass the head, LRC character included, no clocking zeros.
    ///
    /// - Parameter text: the track's ASCII text, sentinels included.
    public func bits(of text: some Collection<UInt8>) throws(EncodingError) -> [UInt8] {
        let characters = text.count + (hasLRC ? 1 : 0)
        guard characters <= maximumCharacters else {
            throw .tooLong(characters: characters, maximum: maximumCharacters)
        }
        var bits: [UInt8] = []
        bits.reserveCapacity(characters * bitsPerCharacter)
        var redundancy = 0
        for (index, ascii) in text.enumerated() {
            guard let value = value(of: ascii) else { throw .notInAlphabet(index: index) }
            redundancy ^= value
            append(value, to: &bits)
        }
        if hasLRC { append(redundancy, to: &bits) }
        return bits
    }

    /// The data bits of an ASCII character, or nil outside the alphabet.
    public func value(of ascii: UInt8) -> Int? {
        let value = Int(ascii) - Int(firstCharacter)
        return value >= 0 && value < (1 << dataBits) ? value : nil
    }

    private func append(_ value: Int, to bits: inout [UInt8]) {
        var ones = 0
        for bit in 0..<dataBits {
            let one = (value >> bit) & 1
            ones += one
            bits.append(UInt8(one))
        }
        switch parity {
        case .odd: bits.append(UInt8((ones + 1) & 1))
        case .even: bits.append(UInt8(ones & 1))
        case .none: break
        }
    }
}
