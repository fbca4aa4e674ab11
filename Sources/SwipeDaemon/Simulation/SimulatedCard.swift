/// A test card that `simulate` swipes. The numbers are published test numbers, which no issuer gives out.
struct SimulatedCard: Sendable, Hashable {
    var name: String
    var track1: String
    var track2: String

    /// In the order in which they are listed; the first is swiped where none is named.
    static let all = [
        SimulatedCard(
            name: "visa",
            track1: "%B4761730000000011^UAT USA/TEST CARD 01      ^2412201114380440000000000000000?",
            track2: ";4761730000000011=24122011303130600000?"),
        SimulatedCard(
            name: "mastercard", track1: "%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?",
            track2: ";5452300551227189=080432100000007250?"),
    ]

    /// The card of that name, or the first one; nil for a name that nobody knows.
    static func named(_ name: String?) -> SimulatedCard? {
        guard let name else { return all.first }
        return all.first { $0.name == name }
    }
}
