import HIDReaders

extension TrackScan {
    /// Several swipes that stand one behind the other, where no line end parts them: each begins with a `%`, all have the
    /// same tracks, and there is nothing else. Nil for any other text.
    static func swipes(in text: [UInt8]) -> [[UInt8]]? {
        let starts = text.indices.filter { text[$0] == UInt8(ascii: "%") }
        guard starts.count > 1, text[..<starts[0]].allSatisfy(CaptureText.isSpace) else { return nil }
        let parts = zip(starts, starts.dropFirst() + [text.endIndex]).map { Array(text[$0..<$1]) }
        let shapes = parts.map { part -> [Int]? in
            guard let found = try? tracks(in: part) else { return nil }
            let isBare = part.indices.allSatisfy { place in
                CaptureText.isSpace(part[place]) || found.contains { $0.range.contains(place) }
            }
            return isBare ? found.map(\.track) : nil
        }
        return shapes.allSatisfy { $0 != nil && $0 == shapes[0] } ? parts : nil
    }
}
