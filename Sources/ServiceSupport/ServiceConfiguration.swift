package import SectionFiles

/// What the file of a service says that is a client of the daemon: read and checked in one way for each of them.
package protocol ServiceConfiguration: Sendable {
    /// The service's program, and the name of its file.
    static var program: String { get }
    /// What the names of its log's entries begin with.
    static var events: String { get }
    /// The sections of its own, as they are said to who wrote another.
    static var sections: [String] { get }

    var service: ServiceSettings { get set }
    /// What an administrator should know at each start.
    var warnings: [String] { get }

    /// What holds where nothing is said.
    init()

    /// Takes a section of its own.
    ///
    /// - Returns: whether it is one.
    mutating func take(_ section: FileSection) throws(SectionFaults) -> Bool
    /// What is wrong with the settings together.
    func faults(in file: SectionFile) -> [SectionFault]
    /// Notes where things stand in a file without a fault, for who looks at the files that it names.
    mutating func note(_ file: SectionFile, of path: String)
    /// Looks at the files that it names. Credentials of systemd's are there for the service alone.
    func checkFiles() throws(ConfigurationFault)
}

/// All that is wrong with a configuration, a line each.
package struct ConfigurationFault: Error, Sendable, Hashable {
    package var lines: [String]

    package init(lines: [String]) { self.lines = lines }
}

/// A configuration without a fault: its file, and what an administrator should know of it.
package struct CheckedFile: Sendable {
    package var path: String
    package var isThere: Bool
    package var warnings: [String]
}

extension ServiceConfiguration {
    static var path: String { "/etc/swiped/\(program).conf" }

    private static var maximumBytes: Int { 64 * 1_024 }

    /// Reads a file's text. Everything that is wrong with it is said at once, each with its place.
    package init(_ text: String, of path: String? = nil) throws(ConfigurationFault) {
        self.init()
        let path = path ?? Self.path
        let file = SectionFile(reading: text, form: .any, maximumBytes: Self.maximumBytes)
        var faults = file.faults
        for section in file.sections {
            do throws(SectionFaults) { try takeAny(section) } catch { faults += error.all }
        }
        faults += self.faults(in: file)
        faults.sort { $0.line < $1.line }
        guard faults.isEmpty else {
            throw ConfigurationFault(lines: faults.map { $0.description(in: path) })
        }
        note(file, of: path)
    }

    private mutating func takeAny(_ section: FileSection) throws(SectionFaults) {
        if try service.take(section) { return }
        if try take(section) { return }
        let known = (Self.sections + ServiceSettings.sections).joined(separator: ", ")
        throw SectionFaults(line: section.line, reason: "unknown section; known: \(known)")
    }

    /// - Parameter named: the file that somebody named, which must be there; of the usual one, none means that the defaults hold.
    static func load(_ named: String?) throws(ConfigurationFault) -> (configuration: Self, isThere: Bool) {
        let text = try FileContent.configuration(named, usual: path, maximumBytes: maximumBytes)
        guard let text else { return (Self(), false) }
        return (try Self(text, of: named), true)
    }

    /// What `--check-config` says.
    package static func check(_ named: String?) throws(ConfigurationFault) -> CheckedFile {
        let (configuration, isThere) = try load(named)
        try configuration.checkFiles()
        return CheckedFile(path: named ?? path, isThere: isThere, warnings: configuration.warnings)
    }
}
