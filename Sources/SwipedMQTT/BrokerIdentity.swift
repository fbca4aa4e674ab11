internal import Glibc
internal import ServiceSupport

/// What the configuration names, found: the host's name, and the files of its secrets.
enum BrokerIdentity {
    private static let maximumPassword = 1_024
    /// MQTT 5, 1.5.4.
    private static let maximumClient = 65_535

    /// The machine's name, without its domain.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: ".").first.map(String.init) ?? "localhost"
    }

    static func make(
        _ settings: BrokerSettings, _ topics: HostTopics, _ environment: [String: String]
    ) throws(StartFault) -> Broker.Identity {
        Broker.Identity(
            settings: settings,
            client: String((settings.client ?? "swiped-\(topics.host)").prefix(maximumClient)),
            password: try settings.password.map { file throws(StartFault) in
                try password(file, settings, environment)
            },
            authority: try path("authority", settings.authority, settings, environment),
            certificate: try path("certificate", settings.certificate, settings, environment),
            key: try path("key", settings.key, settings, environment), willTopic: topics.topic(.availability),
            will: Bridge.offline)
    }

    /// - Parameter key: what names the file.
    private static func path(
        _ key: String, _ file: SecretFile?, _ settings: BrokerSettings, _ environment: [String: String]
    ) throws(StartFault) -> String? {
        guard let file else { return nil }
        guard let path = file.path(environment) else {
            throw StartFault(
                words: settings.place(key)
                    + "\(file.name): no such credential; systemd hands none over (LoadCredential=)",
                exit: .badConfiguration)
        }
        guard access(path, R_OK) == 0 else {
            throw StartFault(
                words: settings.place(key) + "\(path): \(String(cString: strerror(errno)))",
                exit: .badConfiguration)
        }
        return path
    }

    /// The first line of the file.
    private static func password(
        _ file: SecretFile, _ settings: BrokerSettings, _ environment: [String: String]
    ) throws(StartFault) -> String {
        let path = try path("password", file, settings, environment) ?? ""
        guard let bytes = FileContent.read(path, maximumBytes: maximumPassword),
            let text = String(validating: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self),
            !text.isEmpty
        else {
            throw StartFault(
                words: settings.place("password") + "\(path): no password in its first line",
                exit: .badConfiguration)
        }
        return text
    }

    /// What is wrong with the files that are named by their paths, and with credentials where systemd has handed any over: to the service
    /// alone.
    static func faults(of settings: BrokerSettings, _ environment: [String: String] = [:]) -> [String] {
        var faults: [String] = []
        let files = [
            ("authority", settings.authority), ("certificate", settings.certificate), ("key", settings.key),
        ]
        for (key, file) in files where file?.path(environment) != nil {
            do throws(StartFault) { _ = try path(key, file, settings, environment) } catch {
                faults.append(error.words)
            }
        }
        if let file = settings.password, file.path(environment) != nil {
            do throws(StartFault) { _ = try password(file, settings, environment) } catch {
                faults.append(error.words)
            }
        }
        return faults
    }

    /// Secrets that others can read, and credentials that cannot be looked at here.
    static func warnings(of settings: BrokerSettings, _ environment: [String: String] = [:]) -> [String] {
        let secrets = [settings.password, settings.key].compactMap(\.self).filter(\.isPath)
        let readable: [String] = secrets.compactMap { file in
            var status = stat()
            guard stat(file.name, &status) == 0, status.st_mode & 0o007 != 0 else { return nil }
            return "everybody on this machine can read \(file.name): chmod o= \(file.name)"
        }
        return readable + unseen(settings, environment)
    }

    private static func unseen(_ settings: BrokerSettings, _ environment: [String: String]) -> [String] {
        let files = [
            ("password", settings.password), ("authority", settings.authority),
            ("certificate", settings.certificate), ("key", settings.key),
        ]
        return files.compactMap { key, file in
            guard let file, file.path(environment) == nil else { return nil }
            return settings.place(key)
                + "\(file.name) is a credential, which systemd hands to the service alone: it is not looked at here"
        }
    }
}
