/// What two sets have alone, for the message of a test that wants them to be equal.
package func difference<Element: Hashable>(_ found: Set<Element>, _ wanted: Set<Element>) -> String {
    let list = { (set: Set<Element>) in set.map { "\($0)" }.sorted().joined(separator: ", ") }
    return "missing: \(list(wanted.subtracting(found))); more than wanted: \(list(found.subtracting(wanted)))"
}
