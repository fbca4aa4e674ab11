import ArgumentParser

/// What the number of an option may be. The help names it, and so does the refusal of any other number.
struct Bounds: CustomStringConvertible {
    private let range: ClosedRange<Double>
    private let unit: String

    init(_ range: ClosedRange<Double>, _ unit: String = "") {
        self.range = range
        self.unit = unit
    }

    /// The bounds and their unit, in words.
    var description: String {
        let words = "\(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
        return unit.isEmpty ? words : "\(words) \(unit)"
    }

    /// Refuses what is outside, and what is no number at all.
    func check(_ option: String, _ value: Double?) throws(ValidationError) {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("--\(option): \(self)")
    }

    func check(_ option: String, _ value: Int) throws(ValidationError) { try check(option, Double(value)) }

    private static func short(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }
}
