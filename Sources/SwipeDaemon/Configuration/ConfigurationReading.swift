import Configuration
import Logging

/// Turns layered settings into the typed configuration. Every value has been checked against the catalogue, where
/// the defaults stand too.
struct ConfigurationReading {
    private let config: ConfigReader
    private let settings: [Setting]

    init(providers: [any ConfigProvider], settings: [Setting]) {
        // The last one has nothing: a reader without any provider traps, and a system may have no file at all.
        config = ConfigReader(providers: providers + [InMemoryProvider(name: "nothing", values: [:])])
        self.settings = settings
    }

    func read() throws(ConfigurationError) -> DaemonConfiguration {
        let access = DaemonConfiguration.Access(
            status: principals("status"), masked: principals("masked"), full: principals("full"),
            admin: principals("admin"))
        return DaemonConfiguration(
            server: try server(), access: access, metrics: metrics(),
            logLevel: Logger.Level(rawValue: text(["log"], "level")) ?? .info,
            isHIDEnabled: SettingKind.flag(text(["hid"], "enabled")) ?? true,
            audioReaders: try audioReaders(),
            virtualHID: try names(of: "virtual-hid").map(virtualHID),
            virtualAudio: try names(of: "virtual-audio").map(virtualAudio))
    }

    private func server() throws(ConfigurationError) -> DaemonConfiguration.Server {
        let group = text(["server"], "socket_group")
        if !group.isEmpty, UInt32(group) == nil, AccessRules.groupID(group) == nil {
            throw fault(["server"], "socket_group", "this system has no group '\(group)'")
        }
        return DaemonConfiguration.Server(
            socketPath: text(["server"], "socket"),
            socketMode: SettingKind.mode(text(["server"], "socket_mode")) ?? 0o660,
            socketGroup: group.isEmpty ? nil : group,
            maximumClients: integer(["server"], "max_clients"),
            maximumClientsPerUser: integer(["server"], "max_clients_per_user"),
            swipeHold: .seconds(integer(["server"], "swipe_hold")),
            stateFolder: text(["server"], "state"))
    }

    private func metrics() -> DaemonConfiguration.Metrics {
        let path = text(["metrics"], "file")
        return DaemonConfiguration.Metrics(
            path: path.isEmpty ? nil : path, interval: .seconds(integer(["metrics"], "interval")))
    }

    /// A card has one reader: two sections with one would keep it from each other.
    private func audioReaders() throws(ConfigurationError) -> [DaemonConfiguration.AudioReader] {
        var readers: [DaemonConfiguration.AudioReader] = []
        for name in names(of: "audio-reader") {
            let reader = try audioReader(name)
            let card = SoundCardName(reader.device).card
            if let other = readers.first(where: { SoundCardName($0.device).card == card }) {
                throw fault(
                    ["audio-reader", name], "device",
                    "[audio-reader \(other.name)] has the sound card \(card) already")
            }
            readers.append(reader)
        }
        return readers
    }

    private func audioReader(_ name: String) throws(ConfigurationError) -> DaemonConfiguration.AudioReader {
        let section = ["audio-reader", name]
        let device = try required(section, "device")
        // It is by its card that a section is found.
        guard !SoundCardName(device).card.isEmpty else {
            throw fault(
                section, "device",
                "'\(device)' names no sound card: write hw:CARD=NAME, as arecord -l lists them")
        }
        return DaemonConfiguration.AudioReader(
            name: name, device: device, playback: text(section, "playback"),
            mixer: words(text(section, "mixer")), jack: JackChoice(text(section, "jack")),
            setup: try audioSetup(section))
    }

    private func virtualHID(_ name: String) throws(ConfigurationError) -> DaemonConfiguration.VirtualHID {
        let section = ["virtual-hid", name]
        let ids = text(section, "device").split(separator: ":").map { UInt16($0, radix: 16) }
        guard ids.count == 2, let vendor = ids[0], let product = ids[1] else {
            let value = text(section, "device")
            throw fault(
                section, "device", "'\(value)' is no device: write VENDOR:PRODUCT in hex, as 0801:0011")
        }
        return DaemonConfiguration.VirtualHID(
            name: name, vendorID: vendor, productID: product, source: try required(section, "source"))
    }

    private func virtualAudio(_ name: String) throws(ConfigurationError) -> DaemonConfiguration.VirtualAudio {
        let section = ["virtual-audio", name]
        return DaemonConfiguration.VirtualAudio(
            name: name, source: try required(section, "source"), speed: Double(text(section, "speed")) ?? 1,
            sink: text(section, "sink"), jack: text(section, "jack"), volume: text(section, "volume"),
            setup: try audioSetup(section))
    }

    /// Words between commas: mixer elements have names such as `Master Mono`.
    private func words(_ text: String) -> [String] {
        text.split(separator: ",").map { word in
            let isBlank: (Character) -> Bool = { $0.isWhitespace }
            return String(word.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        }.filter { !$0.isEmpty }
    }

    /// The names of a kind's sections, in the order in which the files name them first.
    private func names(of kind: String) -> [String] {
        var names: [String] = []
        for setting in settings where setting.section[0] == kind && !names.contains(setting.section[1]) {
            names.append(setting.section[1])
        }
        return names
    }

    func text(_ section: [String], _ key: String) -> String {
        config.string(forKey: ConfigKey(section + [key])) ?? SettingsCatalogue.find(section[0], key)?
            .defaultValue
            ?? ""
    }

    func integer(_ section: [String], _ key: String) -> Int {
        Int(text(section, key)) ?? 0
    }

    private func principals(_ key: String) -> [Principal] {
        SettingKind.principals(text(["access"], key)) ?? []
    }

    private func required(_ section: [String], _ key: String) throws(ConfigurationError) -> String {
        let value = text(section, key)
        guard value.isEmpty else { return value }
        throw fault(section, key, "[\(section.joined(separator: " "))] needs a \(key)")
    }

    /// An error at the line that set the key, or at the section's first line where none did.
    func fault(_ section: [String], _ key: String, _ reason: String) -> ConfigurationError {
        let lines = settings.filter { $0.section == section }
        let line = lines.last { $0.key == key } ?? lines.first
        return ConfigurationError(place: line.map { "\($0.place)" } ?? "configuration", reason: reason)
    }
}
