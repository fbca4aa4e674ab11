import DeviceIO
import ReaderKit

/// The ids of readers: each has one of its own, and finds it again.
///
/// A serial number names its reader at whichever port. Two that are there at once with one number have different ids by
/// their ports: the first keeps the number alone, since clients know it by that, the id of the other has both. From
/// then on the daemon knows that the number does not name one reader, and each port keeps the id that it gave.
struct ReaderNames: Sendable {
    /// Numbers that several readers have; no site has as many.
    static let maximumRemembered = 256

    private struct Place: Hashable {
        var name: String
        var port: String
    }

    /// The port of the reader that was called by its number alone, for each number.
    private var plainPorts: [String: String] = [:]
    /// Ids at the ports of readers that share a number.
    private var shared: [Place: String] = [:]
    /// Numbers that more than one reader has.
    private var ambiguous: Set<String> = []

    /// The id of a reader that is plugged in.
    ///
    /// - Parameter taken: the ids that are in use.
    mutating func name(for device: DeviceIdentity, taken: Set<String>) -> String {
        let plain = device.readerID
        guard let port = device.port else { return Self.numbered(plain, taken) }
        let place = Place(name: plain, port: port)
        if let known = shared[place], !taken.contains(known) { return known }
        guard taken.contains(plain) || ambiguous.contains(plain) else {
            if plainPorts.count >= Self.maximumRemembered { plainPorts = [:] }
            plainPorts[plain] = port
            return plain
        }
        let name = Self.numbered("\(plain)-\(ReaderName.plain(port))", taken)
        remember(plain, at: place, as: name)
        return name
    }

    private mutating func remember(_ plain: String, at place: Place, as name: String) {
        if shared.count >= Self.maximumRemembered { (shared, ambiguous) = ([:], []) }
        ambiguous.insert(plain)
        if let first = plainPorts[plain] { shared[Place(name: plain, port: first)] = plain }
        shared[place] = name
    }

    /// A name that no reader has: the second of two with the same names gets a number.
    private static func numbered(_ name: String, _ taken: Set<String>) -> String {
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }
}
