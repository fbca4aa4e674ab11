import Logging
import ReaderKit

/// Turns layered settings into the typed configuration. Every value has been checked against the catalogue, where
/// the defaults stand too.
struct ConfigurationReading {
    private let layers: LayeredSettings
    private let settings: [Setting]
    private let sections: [SettingSection]
    private let files: [SettingsFile]

    init(_ layers: LayeredSettings, files: [SettingsFile]) {
        self.layers = layers
        self.files = files
        settings = files.flatMap(\.settings)
        sections = files.flatMap(\.sections)
    }

    /// Who has which role, whatever is wrong elsewhere.
    var access: DaemonConfiguration.Access {
        DaemonConfiguration.Access(
            status: principals("status"), masked: principals("masked"), full: principals("full"),
            admin: principals("admin"))
    }

    /// Throws everything that is wrong at once.
    func read() throws(ConfigurationError) -> DaemonConfiguration {
        var faults = files.flatMap(\.errors) + SectionNames.faults(in: sections)
        let group = collect(&faults) { () throws(ConfigurationError) in try socketGroup() } ?? ""
        var namesBefore: [DaemonConfiguration.NamedReader] = []
        let named = each("reader", &faults) { name throws(ConfigurationError) in
            try namedReader(name, &namesBefore)
        }
        var owners: [String: String] = [:]
        let audio = each("audio-reader", &faults) { name throws(ConfigurationError) in
            try audioReader(name, &owners)
        }
        var lines: [String: String] = [:]
        let serial = each("serial-reader", &faults) { name throws(ConfigurationError) in
            try serialReader(name, &lines)
        }
        let encoders = collect(&faults) { () throws(ConfigurationError) in try encoderOptions(["hid"]) }
        var sources: [String: String] = [:]
        let hid = each("virtual-hid", &faults) { name throws(ConfigurationError) in
            try virtualHID(name, &sources)
        }
        let sound = each("virtual-audio", &faults) { name throws(ConfigurationError) in
            try virtualAudio(name, &sources)
        }
        let virtualLines = each("virtual-serial", &faults) { name throws(ConfigurationError) in
            try virtualSerial(name, &sources)
        }
        let keyboards = each("virtual-keyboard", &faults) { name throws(ConfigurationError) in
            try virtualKeyboard(name, &sources)
        }
        var takenBefore: [DaemonConfiguration.KeyboardReader] = []
        let taken = each("keyboard-reader", &faults) { name throws(ConfigurationError) in
            try keyboardReader(name, &takenBefore)
        }
        faults += SharedPaths.faults(in: self)
        if let error = ConfigurationError(all: faults) { throw error }
        return DaemonConfiguration(
            server: server(group: group), access: access, metrics: metrics(), hashKeyPath: hashKeyPath(),
            logLevel: Logger.Level(rawValue: text(["log"], "level")) ?? .info,
            isHIDEnabled: SettingKind.flag(text(["hid"], "enabled")) ?? true,
            hidOptions: encoders ?? ReaderOptions(), namedReaders: named, audioReaders: audio,
            serialReaders: serial,
            virtualHID: hid, virtualAudio: sound, virtualSerial: virtualLines,
            virtualKeyboards: keyboards, keyboardReaders: taken,
            takesKnownKeyboards: text(["hid"], "keyboard_readers") == "known")
    }

    private func collect<Value>(
        _ faults: inout [ConfigurationError], _ body: () throws(ConfigurationError) -> Value
    ) -> Value? {
        do throws(ConfigurationError) { return try body() } catch {
            faults.append(error)
            return nil
        }
    }

    /// What the sections of a kind say. Those with a fault in a line of theirs are left alone.
    private func each<Value>(
        _ kind: String, _ faults: inout [ConfigurationError],
        _ read: (String) throws(ConfigurationError) -> Value
    ) -> [Value] {
        let faulty = Set(sections.filter(\.isFaulty).map(\.words))
        var values: [Value] = []
        for name in names(of: kind) where !faulty.contains([kind, name]) {
            let value = collect(&faults) { () throws(ConfigurationError) in try read(name) }
            if let value { values.append(value) }
        }
        return values
    }

    private func socketGroup() throws(ConfigurationError) -> String {
        let group = text(["server"], "socket_group")
        if !group.isEmpty, UInt32(group) == nil, AccessRules.groupID(group) == nil {
            throw fault(["server"], "socket_group", "this system has no group '\(group)'")
        }
        return group
    }

    private func server(group: String) -> DaemonConfiguration.Server {
        DaemonConfiguration.Server(
            socketPath: text(["server"], "socket"),
            socketMode: SettingKind.mode(text(["server"], "socket_mode")) ?? 0o660,
            socketGroup: group.isEmpty ? nil : group,
            maximumClients: integer(["server"], "max_clients"),
            maximumClientsPerUser: integer(["server"], "max_clients_per_user"),
            swipeHold: .seconds(integer(["server"], "swipe_hold")),
            stateFolder: text(["server"], "state"))
    }

    private func hashKeyPath() -> String? {
        let path = text(["cards"], "hash_key")
        return path.isEmpty ? nil : path
    }

    private func metrics() -> DaemonConfiguration.Metrics {
        let path = text(["metrics"], "file")
        return DaemonConfiguration.Metrics(
            path: path.isEmpty ? nil : path, interval: .seconds(integer(["metrics"], "interval")))
    }

    /// - Parameter owners: which section has a sound card. A card has one reader: two sections with one would keep it from
    ///   each other.
    private func audioReader(
        _ name: String, _ owners: inout [String: String]
    ) throws(ConfigurationError) -> DaemonConfiguration.AudioReader {
        let section = ["audio-reader", name]
        let device = try required(section, "device")
        let card = SoundCardName(device).card
        // It is by its card that a section is found.
        guard !card.isEmpty else {
            throw fault(
                section, "device",
                "'\(device)' names no sound card: write hw:CARD=NAME, as arecord -l lists them")
        }
        if let other = owners.updateValue(name, forKey: card) {
            throw fault(section, "device", "[audio-reader \(other)] has the sound card \(card) already")
        }
        return DaemonConfiguration.AudioReader(
            name: name, device: device, playback: text(section, "playback"),
            mixer: SettingKind.names(text(section, "mixer")) ?? [],
            gainMixer: SettingKind.names(text(section, "gain_mixer")) ?? [],
            jack: JackChoice(text(section, "jack")),
            setup: try audioSetup(section))
    }

    private func virtualHID(
        _ name: String, _ owners: inout [String: String]
    ) throws(ConfigurationError) -> DaemonConfiguration.VirtualHID {
        let section = ["virtual-hid", name]
        let (vendor, product) = try ids(section, "device")
        return DaemonConfiguration.VirtualHID(
            name: name, vendorID: vendor, productID: product, source: try source(of: section, &owners))
    }

    /// `0801:0011`
    func ids(
        _ section: [String], _ key: String
    ) throws(ConfigurationError) -> (vendor: UInt16, product: UInt16) {
        let value = text(section, key)
        let ids = value.split(separator: ":", omittingEmptySubsequences: false).map {
            $0.allSatisfy(\.isHexDigit) ? UInt16($0, radix: 16) : nil
        }
        guard ids.count == 2, let vendor = ids[0], let product = ids[1] else {
            throw fault(
                section, key, "'\(value)' is not a device: write VENDOR:PRODUCT in hex, as 0801:0011")
        }
        return (vendor, product)
    }

    /// The pipe of a virtual reader. What is written to it, one reader gets.
    func source(
        of section: [String], _ owners: inout [String: String]
    ) throws(ConfigurationError) -> String {
        let source = try required(section, "source")
        if let other = owners.updateValue(section.joined(separator: " "), forKey: source) {
            throw fault(section, "source", "[\(other)] has the source \(source) already")
        }
        return source
    }

    private func virtualAudio(
        _ name: String, _ owners: inout [String: String]
    ) throws(ConfigurationError) -> DaemonConfiguration.VirtualAudio {
        let section = ["virtual-audio", name]
        return DaemonConfiguration.VirtualAudio(
            name: name, source: try source(of: section, &owners), speed: Double(text(section, "speed")) ?? 1,
            sink: text(section, "sink"), jack: text(section, "jack"), volume: text(section, "volume"),
            microphone: text(section, "microphone"),
            setup: try audioSetup(section))
    }

    /// The names of a kind's sections, in the order in which the files name them first.
    func names(of kind: String) -> [String] {
        var names: [String] = []
        for setting in settings where setting.section[0] == kind && !names.contains(setting.section[1]) {
            names.append(setting.section[1])
        }
        return names
    }

    func text(_ section: [String], _ key: String) -> String {
        layers.value(section, key) ?? SettingsCatalogue.find(section[0], key)?.defaultValue ?? ""
    }

    func integer(_ section: [String], _ key: String) -> Int {
        Int(text(section, key)) ?? 0
    }

    private func principals(_ key: String) -> [Principal] {
        SettingKind.principals(text(["access"], key)) ?? []
    }

    func required(_ section: [String], _ key: String) throws(ConfigurationError) -> String {
        let value = text(section, key)
        guard value.isEmpty else { return value }
        throw fault(section, key, "[\(section.joined(separator: " "))] needs a \(key)")
    }

    /// Whether a file says it.
    func isWritten(_ section: [String], _ key: String) -> Bool { line(section, key) != nil }

    private func line(_ section: [String], _ key: String) -> SettingPlace? {
        settings.last { $0.section == section && $0.key == key }?.place
    }

    /// An error at the line that set the key, or at the section's header where none did.
    func fault(_ section: [String], _ key: String, _ reason: String) -> ConfigurationError {
        let place = line(section, key) ?? sections.first { $0.words == section }?.place
        return ConfigurationError(place: place.map { "\($0)" } ?? "configuration", reason: reason)
    }
}
