/// What a cell's window looks like for every pattern of reversals round it, computed when first asked for.
struct PatternTable: Sendable {
    struct Entry: Sendable {
        /// The window's means where the last reversal before the cell's edge was positive.
        var means = SIMD8<Float>()
        /// Their change with place.
        var slopes = SIMD8<Float>()
        // Products that every comparison needs.
        var meansMeans: Float = 0
        var meansSlopes: Float = 0
        var slopesSlopes: Float = 0
        /// Which model it was computed for.
        var generation: UInt32 = 0
    }

    private var entries: [Entry]
    private var model = PulseModel(response: [])
    private var generation: UInt32 = 0

    init() { entries = Array(repeating: Entry(), count: PulseModel.patterns) }

    /// From here on, windows are those of another pulse.
    mutating func use(_ model: PulseModel) {
        self.model = model
        generation += 1
    }

    mutating func entry(_ pattern: UInt16) -> Entry {
        let index = Int(pattern & PulseModel.patternMask)
        if entries[index].generation != generation { entries[index] = computed(pattern) }
        return entries[index]
    }

    private func computed(_ pattern: UInt16) -> Entry {
        let (means, slopes) = model.window(pattern)
        return Entry(
            means: means, slopes: slopes, meansMeans: (means * means).sum(),
            meansSlopes: (means * slopes).sum(), slopesSlopes: (slopes * slopes).sum(),
            generation: generation)
    }
}
