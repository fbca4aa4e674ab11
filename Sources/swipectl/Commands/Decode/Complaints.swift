/// What is wrong with a file, each said once however often it comes: what is none of a reader's is so from its first byte to its last.
struct Complaints {
    private var order: [String] = []
    private var counts: [String: Int] = [:]

    mutating func add(_ what: String) {
        if counts[what] == nil { order.append(what) }
        counts[what, default: 0] += 1
    }

    func tell(of file: String) {
        for what in order {
            let count = counts[what] ?? 1
            Output.complain("\(file): \(what)" + (count > 1 ? " (\(count) times)" : ""))
        }
    }
}
