/// A setting that exists: what `--check-config` checks against and what the manual page is made from.
struct SettingDescription: Sendable {
    var section: String
    var key: String
    var kind: SettingKind
    /// The value that holds where no file sets one; nil where a named section must set it.
    var defaultValue: String?
    var summary: String

    init(_ section: String, _ key: String, _ kind: SettingKind, _ defaultValue: String?, _ summary: String) {
        self.section = section
        self.key = key
        self.kind = kind
        self.defaultValue = defaultValue
        self.summary = summary
    }
}

/// Every setting there is.
enum SettingsCatalogue {
    /// Sections that are written once per reader: `[virtual-hid NAME]`.
    static let namedSections: Set<String> = ["audio-reader", "virtual-hid", "virtual-audio"]

    static let settings: [SettingDescription] = server + access + log + metrics + readers + virtual

    static func find(_ section: String, _ key: String) -> SettingDescription? {
        settings.first { $0.section == section && $0.key == key }
    }

    private static let server = [
        SettingDescription(
            "server", "socket", .path, "/run/swiped/swiped.sock",
            "where the daemon listens; not used when systemd hands it the socket"),
        SettingDescription("server", "socket_mode", .mode, "0660", "the socket file's mode"),
        SettingDescription(
            "server", "socket_group", .text, "", "the socket file's group; empty: the daemon's own group"),
        SettingDescription("server", "max_clients", .integer(1...65_536), "1024", "connections in all"),
        SettingDescription(
            "server", "max_clients_per_user", .integer(1...65_536), "256", "connections of one user"),
        SettingDescription(
            "server", "swipe_hold", .integer(0...300), "0",
            "seconds for which a swipe is kept for a claimant whose connection is gone"),
    ]

    private static let metrics = [
        SettingDescription(
            "metrics", "file", .optionalPath, "/run/swiped/metrics.prom",
            "where the counters are written for Prometheus' node exporter; empty: nowhere"),
        SettingDescription("metrics", "interval", .integer(1...3_600), "15", "seconds between two writings"),
    ]

    private static let access = [
        SettingDescription(
            "access", "status", .principals, "*",
            "who may see readers and that a swipe happened, without card data"),
        SettingDescription(
            "access", "masked", .principals, "swiped, user:0",
            "who may see swipes with first six and last four digits"),
        SettingDescription("access", "full", .principals, "", "who may see swipes in full"),
        SettingDescription(
            "access", "admin", .principals, "user:0",
            "who may reload, set the log level and control any reader"),
    ]

    private static let log = [
        SettingDescription(
            "log", "level", .choice(["trace", "debug", "info", "notice", "warning", "error"]), "info",
            "the least important message that is logged")
    ]

    private static let readers = [
        SettingDescription("hid", "enabled", .flag, "yes", "look for USB and Bluetooth readers"),
        SettingDescription("audio-reader", "device", .text, nil, "the ALSA capture device: hw:CARD=Headset"),
        SettingDescription("audio-reader", "type", .choice(["passive"]), "passive", "the kind of reader"),
        SettingDescription(
            "audio-reader", "rate", .integer(8_000...192_000), "48000", "samples a second to ask for"),
    ]

    private static let virtual = [
        SettingDescription(
            "virtual-hid", "device", .text, "0801:0011",
            "the vendor and product id of the reader it stands for"),
        SettingDescription(
            "virtual-hid", "source", .path, nil, "a named pipe; each line written to it is a report in hex"),
        SettingDescription(
            "virtual-audio", "source", .path, nil, "a named pipe; 16-bit samples written to it are the sound"),
        SettingDescription(
            "virtual-audio", "rate", .integer(8_000...192_000), "48000", "samples a second"),
        SettingDescription(
            "virtual-audio", "speed", .number(0.1...100), "1", "how much faster than life the sound passes"),
    ]
}
