import Diagnosis

/// The serial numbers of a machine's devices, which tell whose machine it is: without them a report can be pasted.
struct DeviceNumbers {
    /// Whole numbers, the longest first, as the devices have them and as they stand in readers' ids.
    private let numbers: [String]

    /// Fewer characters are shared by too many devices to be a secret, and stand in too many words.
    private static let fewest = 3

    init(_ facts: Facts) {
        let given = (facts.readers.compactMap(\.serial) + facts.devices.compactMap(\.serial))
            .filter { $0.count >= Self.fewest && $0.contains { $0 != "0" && $0 != " " } }
        numbers = Set(given + given.map(Self.inAnID)).sorted { $0.count > $1.count }
    }

    /// The text without the numbers, and without the names that udev makes of the numbers of serial adapters.
    func removed(from text: String) -> String {
        let short = text.replacing(#/\/dev\/serial\/by-id\/[^\s"',:;]+/#, with: "/dev/serial/by-id/...")
        return numbers.reduce(short, Self.without)
    }

    /// As in a reader's id: characters that need no quoting, and others as a dash.
    private static func inAnID(_ number: String) -> String {
        String(
            number.unicodeScalars.map { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": Character(scalar)
                case _: "-"
                }
            })
    }

    /// A number within a longer word is another one.
    private static func without(_ text: String, _ number: String) -> String {
        var rest = text[...]
        var result = ""
        while let found = rest.firstRange(of: number) {
            let before = (result + rest[..<found.lowerBound]).last
            let isWord = !isOfWord(before) && !isOfWord(rest[found.upperBound...].first)
            result += rest[..<found.lowerBound] + (isWord ? "" : number)
            rest = rest[found.upperBound...]
        }
        return result + rest
    }

    private static func isOfWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }
}
