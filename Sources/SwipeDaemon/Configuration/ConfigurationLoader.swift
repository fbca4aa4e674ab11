import Glibc
import Logging
import ServiceSupport

/// Reads the configuration: one file, then the `.conf` files of the folder next to it that has its name and `.d`, in
/// the order of their names, each over the ones before it.
package enum ConfigurationLoader {
    /// Where the package installs it.
    package static let defaultPath = "/etc/swiped/swiped.conf"

    /// Reads and checks a configuration.
    ///
    /// - Parameters:
    ///   - path: the main file.
    ///   - isRequired: whether a missing main file is an error; without it, the defaults hold.
    ///   - socketPath: what the command line says instead of `[server] socket`.
    package static func load(
        path: String, isRequired: Bool, socketPath: String? = nil
    ) throws(ConfigurationError) -> DaemonConfiguration {
        try check(path: path, isRequired: isRequired, socketPath: socketPath).configuration
    }

    /// Reads and checks a configuration, and says what it was made from.
    static func check(
        path: String, isRequired: Bool, socketPath: String? = nil
    ) throws(ConfigurationError) -> CheckedConfiguration {
        let files = try files(path, isRequired: isRequired)
        let contents = files.map(read)
        var layers = LayeredSettings()
        if let socketPath {
            // A daemon alongside the installed one must not write over its figures, unless a file of its own is named.
            layers.say(["metrics"], "file", "")
            // Nor may it put back the volumes that the other one raised.
            layers.say(["server"], "state", Self.folder(of: socketPath))
        }
        for content in contents { layers.say(content.settings) }
        if let socketPath { layers.say(["server"], "socket", socketPath) }
        let reading = ConfigurationReading(layers, files: contents)
        let settings = contents.flatMap(\.settings)
        do throws(ConfigurationError) {
            let configuration = try reading.read()
            try checkHashKey(configuration, settings)
            return CheckedConfiguration(configuration, files: files, settings: settings)
        } catch {
            var error = error
            error.unknownNames = CheckedConfiguration.lines(
                of: AccessRules(reading.access).unknownNames, in: settings)
            throw error
        }
    }

    /// The key is there and long enough: found out before it is needed. A credential of systemd's is there for the service alone.
    private static func checkHashKey(
        _ configuration: DaemonConfiguration, _ settings: [Setting]
    ) throws(ConfigurationError) {
        guard let path = configuration.hashKeyPath else { return }
        if path.hasPrefix("/run/credentials/"), access(path, F_OK) != 0 { return }
        do throws(CardHash.Fault) {
            _ = try CardHash(path: path)
        } catch {
            let setting = settings.last { $0.section == ["cards"] && $0.key == "hash_key" }
            throw ConfigurationError(
                place: setting.map { "\($0.place)" } ?? path, reason: StartComplaint.words(for: error))
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func files(_ path: String, isRequired: Bool) throws(ConfigurationError) -> [String] {
        let isThere = try kind(of: path) != nil
        guard isThere || !isRequired else {
            throw ConfigurationError(place: path, reason: "there is no such file")
        }
        return (isThere ? [path] : []) + (try dropIns(path))
    }

    /// A folder that cannot be looked into is an error: what stands in it could take rights away.
    private static func dropIns(_ path: String) throws(ConfigurationError) -> [String] {
        let folder = path + ".d"
        guard let kind = try kind(of: folder) else { return [] }
        guard kind == S_IFDIR else {
            throw ConfigurationError(place: folder, reason: "it is not a folder")
        }
        guard access(folder, R_OK | X_OK) == 0 else {
            throw ConfigurationError(
                place: folder, reason: "it cannot be read: \(ErrorNumber.words(errno))")
        }
        guard let names = FileContent.names(in: folder) else {
            throw ConfigurationError(place: folder, reason: "it cannot be read")
        }
        return names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
    }

    /// What a path is (S_IFMT); nil where nothing is. Not to be let through to it is another matter.
    private static func kind(of path: String) throws(ConfigurationError) -> mode_t? {
        var status = stat()
        guard stat(path, &status) != 0 else { return status.st_mode & S_IFMT }
        guard errno != ENOENT else { return nil }
        throw ConfigurationError(place: path, reason: "it cannot be read: \(ErrorNumber.words(errno))")
    }

    private static func read(_ file: String) -> SettingsFile {
        if let fault = fault(reading: file) {
            return SettingsFile(error: ConfigurationError(place: file, reason: fault))
        }
        guard let bytes = FileContent.read(file, maximumBytes: SettingsFile.maximumBytes) else {
            return SettingsFile(error: ConfigurationError(place: file, reason: "it cannot be read"))
        }
        return SettingsFile(bytes, file: file)
    }

    /// Why a file is not to be read, in the kernel's words where they are the kernel's; nil where it can be. A device or
    /// a pipe might never end.
    static func fault(reading file: String) -> String? {
        var status = stat()
        guard stat(file, &status) == 0, access(file, R_OK) == 0 else {
            return "it cannot be read: \(ErrorNumber.words(errno))"
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return "it is a folder, not a file"
        case S_IFREG: break
        default: return "it is not a file"
        }
        let limit = SettingsFile.maximumBytes
        return status.st_size > limit ? "longer than \(limit) bytes" : nil
    }
}
