/// A test card that `simulate` swipes. The numbers are published test numbers, which no issuer gives out.
///
/// In parts, as they are printed and recorded: a whole number must not stand in the daemon's memory, not even as a
/// constant, or no test could prove that swiped ones are forgotten.
struct SimulatedCard: Sendable, Hashable {
    var name: String
    var groups: [String]
    var holder: String
    var expiry: String
    var serviceCode: String
    /// Discretionary data of tracks 1 and 2.
    var discretionary: [String]

    var track1: String { "%B\(groups.joined())^\(holder)^\(expiry)\(serviceCode)\(discretionary[0])?" }
    var track2: String { ";\(groups.joined())=\(expiry)\(serviceCode)\(discretionary[1])?" }

    /// In the order in which they are listed; the first is swiped where none is named.
    static let all = [
        SimulatedCard(
            name: "visa", groups: ["4761", "7300", "0000", "0011"], holder: "UAT USA/TEST CARD 01      ",
            expiry: "2412", serviceCode: "201", discretionary: ["114380440000000000000000", "1303130600000"]),
        SimulatedCard(
            name: "mastercard", groups: ["5452", "3005", "5122", "7189"], holder: "HOGAN/PAUL      ",
            expiry: "0804", serviceCode: "321", discretionary: ["0000000725000000", "00000007250"]),
    ]

    /// The card of that name, or the first one; nil for an unknown name.
    static func named(_ name: String?) -> SimulatedCard? {
        guard let name else { return all.first }
        return all.first { $0.name == name }
    }
}
