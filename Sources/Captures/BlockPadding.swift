/// What an iDynamo fills its blocks up with.
///
///     …|0000 CR xxxxxxxx…        500 characters in a block, two blocks at most; nothing else has a run of small x
///
/// Source: iDynamo manual 99875483, "Card data".
enum BlockPadding {
    private static let blockCharacters = 500
    private static let filler = UInt8(ascii: "x")
    /// A shorter run is padding only where a block ends with it.
    private static let leastRun = 8

    /// The text with an end of line in place of each run that ends a block.
    static func removed(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(filler) else { return text }
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var place = 0
        var start = 0
        while place < text.count {
            let end = text[place...].firstIndex { $0 != filler } ?? text.count
            if end == place {
                kept.append(text[place])
                place += 1
            } else {
                let isPadding = ends(text, place..<end, blockFrom: start)
                kept += isPadding ? [0x0A] : Array(text[place..<end])
                if isPadding { start = end }
                place = end
            }
        }
        return kept
    }

    /// Whether a run is the last of its block: it fills it up, or a line, a swipe or nothing follows.
    private static func ends(_ text: [UInt8], _ run: Range<Int>, blockFrom start: Int) -> Bool {
        if (run.upperBound - start).isMultiple(of: blockCharacters) { return true }
        let next = run.upperBound < text.count ? text[run.upperBound] : 0x0A
        let isBehind = CaptureText.isSpace(next) || next == UInt8(ascii: "%") || next == UInt8(ascii: ";")
        return run.count >= leastRun && isBehind
    }
}
