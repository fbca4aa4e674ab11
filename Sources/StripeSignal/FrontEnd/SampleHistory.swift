/// The last few seconds of the stream, in a ring that never grows.
struct SampleHistory: Sendable {
    private var ring: [Float]
    /// How many samples have been appended in all.
    private(set) var count: UInt64 = 0
    private var writeIndex = 0

    init(capacity: Int) {
        ring = Array(repeating: 0, count: max(capacity, 1))
    }

    /// The index of the oldest sample still held.
    var oldest: UInt64 { count - min(count, UInt64(ring.count)) }

    /// How many samples fit before the ring's end; the caller cuts its blocks there.
    var contiguousSpace: Int { ring.count - writeIndex }

    /// Appends samples and measures them on the way.
    @inline(__always)
    mutating func append(_ samples: Span<Int16>) -> BlockSums {
        let sums = Self.copy(samples, into: &ring, at: writeIndex)
        advance(by: samples.count)
        return sums
    }

    /// Appends samples, full scale ±1, and measures them on the way.
    mutating func append(_ samples: Span<Float>) -> BlockSums {
        let sums = Self.copy(samples, into: &ring, at: writeIndex)
        advance(by: samples.count)
        return sums
    }

    /// The samples of a range of stream indices, as far as they are still held.
    func samples(_ range: Range<UInt64>) -> [Float] {
        let range = range.clamped(to: oldest..<count)
        var copy: [Float] = []
        copy.reserveCapacity(range.count)
        let behind = Int(count - range.lowerBound)
        var index = writeIndex - behind
        if index < 0 { index += ring.count }
        for _ in 0..<range.count {
            copy.append(ring[index])
            index += 1
            if index == ring.count { index = 0 }
        }
        return copy
    }

    private mutating func advance(by samples: Int) {
        count += UInt64(samples)
        writeIndex += samples
        if writeIndex >= ring.count { writeIndex = 0 }
    }

    // Integer sums, and in wrapping arithmetic: the compiler then vectorises the loop. A block is short enough
    // (``ActivityGate/maximumBlock``) that the sums cannot wrap.
    @inline(__always)
    private static func copy(_ samples: Span<Int16>, into ring: inout [Float], at offset: Int) -> BlockSums {
        var target = ring.mutableSpan
        var sum: Int32 = 0
        var squares: Int64 = 0
        for index in samples.indices {
            let value = Int32(samples[unchecked: index])
            target[unchecked: offset &+ index] = Float(value)
            sum &+= value
            squares &+= Int64(value &* value)
        }
        return BlockSums(sum: Float(sum), squares: Float(squares), count: samples.count)
    }

    private static func copy(_ samples: Span<Float>, into ring: inout [Float], at offset: Int) -> BlockSums {
        var target = ring.mutableSpan
        var sum: Float = 0
        var squares: Float = 0
        for index in samples.indices {
            let sample = samples[unchecked: index]
            // Not a number and infinity are silence: they must not poison the sums.
            let value = abs(sample) <= Self.loudestFloat ? sample * 32768 : 0
            target[unchecked: offset &+ index] = value
            sum += value
            squares += value * value
        }
        return BlockSums(sum: sum, squares: squares, count: samples.count)
    }

    /// Float samples beyond this are no sound: full scale is 1.
    private static let loudestFloat: Float = 1024
}

/// What the gate needs to know of a block of samples.
struct BlockSums: Sendable {
    var sum: Float
    var squares: Float
    var count: Int

    static let none = BlockSums(sum: 0, squares: 0, count: 0)

    mutating func add(_ other: BlockSums) {
        sum += other.sum
        squares += other.squares
        count += other.count
    }
}
