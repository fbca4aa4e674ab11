/// A swipe laid out like a score: time from left to right, row below row.
struct DrawingRows {
    static let left = 30.0
    static let width = 1200.0
    /// Pixels that a median cell takes.
    private static let cellWidth = 15.0
    /// Longer swipes are drawn finer.
    private static let mostRows = 40.0

    private let start: Double
    /// Samples a row.
    let samples: Double
    let count: Int
    /// Where the first row begins, and how far it is to the next.
    var top = 0.0
    let pitch: Double

    init(start: Double, samples: Double, medianCell: Double, pitch: Double) {
        self.start = start
        self.pitch = pitch
        self.samples = max(medianCell * Self.width / Self.cellWidth, samples / Self.mostRows, 16)
        count = max(Int((samples / self.samples).rounded(.up)), 1)
    }

    /// A piece of the time, cut where a row ends.
    struct Piece {
        var row: Int
        var left: Double
        var right: Double
        var middle: Double { (left + right) / 2 }
        var width: Double { right - left }
    }

    func row(of sample: Double) -> Int {
        min(max(Int((sample - start) / samples), 0), count - 1)
    }

    func x(_ sample: Double, row: Int) -> Double {
        let place = (sample - start) / samples - Double(row)
        return Self.left + min(max(place, 0), 1) * Self.width
    }

    func y(row: Int) -> Double { top + Double(row) * pitch }

    func pieces(_ range: ClosedRange<Double>) -> [Piece] {
        let first = row(of: range.lowerBound)
        return (first...max(row(of: range.upperBound), first)).map { row in
            Piece(row: row, left: x(range.lowerBound, row: row), right: x(range.upperBound, row: row))
        }.filter { $0.width > 0.3 }
    }

    /// The stream's positions of a row.
    func range(row: Int) -> ClosedRange<Double> {
        start + Double(row) * samples...start + Double(row + 1) * samples
    }
}
