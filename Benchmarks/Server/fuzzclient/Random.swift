import ReaderTesting

extension SeededGenerator {
    mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(max(1, count))) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
