/// What command 14 says (99875475, "Get Reader State"): where the reader is, and what led there.
///
///     SS AA      S: state · A: antecedent
enum MagTekReaderState {
    private static let states = [
        "waits for authentication", "waits for the reply to its challenge", "waits for a swipe",
        "waits after failed authentication",
    ]
    private static let antecedents = [
        "power up", "authentication", "a good swipe", "a bad swipe", "failed authentication",
        "failed deactivation", "authentication that timed out", "a swipe that timed out",
        "an error of key synchronisation",
    ]

    /// `waits for a swipe, after power up`; nil for anything but two known numbers.
    static func words(_ data: [UInt8]) -> String? {
        guard data.count == 2, states.indices.contains(Int(data[0])),
            antecedents.indices.contains(Int(data[1]))
        else { return nil }
        return "\(states[Int(data[0])]), after \(antecedents[Int(data[1])])"
    }
}
