/// Microseconds, counted to three digits: exact below 1,024, then 512 steps for each doubling.
package struct Histogram {
    private var counts = [UInt64](repeating: 0, count: 1_024 + 24 * 512)
    package private(set) var count: UInt64 = 0
    package private(set) var maximum: UInt64 = 0

    package init() {}

    package mutating func add(_ microseconds: UInt64) {
        counts[Histogram.bucket(microseconds)] += 1
        count += 1
        if microseconds > maximum { maximum = microseconds }
    }

    package func percentile(_ share: Double) -> UInt64 {
        let rank = UInt64(Double(count) * share)
        var seen: UInt64 = 0
        for (bucket, number) in counts.enumerated() {
            seen += number
            if seen > rank { return Histogram.value(bucket) }
        }
        return maximum
    }

    private static func bucket(_ value: UInt64) -> Int {
        guard value >= 1_024 else { return Int(value) }
        let doublings = 63 - value.leadingZeroBitCount - 10
        let index = 1_024 + doublings * 512 + Int((value >> UInt64(doublings + 1)) - 512)
        return min(index, 1_024 + 24 * 512 - 1)
    }

    private static func value(_ bucket: Int) -> UInt64 {
        guard bucket >= 1_024 else { return UInt64(bucket) }
        let (doublings, step) = (bucket - 1_024).quotientAndRemainder(dividingBy: 512)
        return UInt64(step + 512) << UInt64(doublings + 1)
    }
}
