internal import CardData

/// Finds digits in what was typed or pasted: ASCII ones, full-width ones (`４１１１`) and those of any script that
/// Unicode calls decimal. Everything else is left out: blanks, hyphens, letters, control characters.
enum DigitScan {
    /// How much of a text is looked at. A clipboard may hold a book.
    static let mostScalars = 4_096

    /// The ASCII digit for a decimal digit of any script.
    static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            return byte.isDigit ? byte : nil
        }
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue,
            (0...9).contains(value)
        else { return nil }
        return UInt8(ascii: "0") + UInt8(value)
    }

    /// The first `limit` digits of a text.
    static func digits(in text: String, limit: Int) -> SensitiveText {
        let scalars = text.unicodeScalars.prefix(mostScalars)
        let count = min(scalars.lazy.count { digit($0) != nil }, max(limit, 0))
        return SensitiveText(count: count) { bytes in
            var place = 0
            for scalar in scalars {
                guard place < count else { return }
                if let digit = digit(scalar) {
                    bytes[place] = digit
                    place += 1
                }
            }
        }
    }
}

extension SensitiveText {
    /// A text with `range` replaced by `new`, which never was in plain memory. The range is cut to what there is.
    func replacing(_ range: Range<Int>, with new: SensitiveText) -> SensitiveText {
        let range = range.clamped(to: 0..<count)
        return SensitiveText(count: count - range.count + new.count) { bytes in
            withRevealedBytes { old in
                new.withRevealedBytes { new in
                    for place in bytes.indices {
                        if place < range.lowerBound {
                            bytes[place] = old[place]
                        } else if place < range.lowerBound + new.count {
                            bytes[place] = new[place - range.lowerBound]
                        } else {
                            bytes[place] = old[place - new.count + range.count]
                        }
                    }
                }
            }
        }
    }

    /// The first so many bytes.
    func prefix(_ length: Int) -> SensitiveText {
        replacing(min(max(length, 0), count)..<count, with: SensitiveText(count: 0) { _ in })
    }
}
