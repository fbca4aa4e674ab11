import ReaderKit
import SwipeProtocol

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
    static let namedSections: Set<String> = [
        "reader", "audio-reader", "serial-reader", "virtual-hid", "virtual-audio", "virtual-serial",
        "virtual-keyboard", "keyboard-reader",
    ]

    static let settings: [SettingDescription] =
        server + access + cards + log + metrics + readers + encoders("hid") + names + audio("audio-reader")
        + serial + virtual + audio("virtual-audio") + virtualSerial + virtualKeyboard + keyboards

    static func find(_ section: String, _ key: String) -> SettingDescription? {
        settings.first { $0.section == section && $0.key == key }
    }

    private static let server = [
        SettingDescription(
            "server", "socket", .socketPath, "/run/swiped/swiped.sock",
            "where the daemon listens; not used when systemd hands it the socket"),
        SettingDescription("server", "socket_mode", .mode, "0660", "the socket file's mode"),
        SettingDescription(
            "server", "socket_group", .text, "", "the socket file's group; empty: the daemon's own group"),
        SettingDescription(
            "server", "max_clients", .integer(1...65_536), "1024",
            "connections in all; fewer where the limit on descriptors leaves less, some of which are kept for readers"
        ),
        SettingDescription(
            "server", "max_clients_per_user", .integer(1...65_536), "256", "connections of one user"),
        SettingDescription(
            "server", "swipe_hold", .integer(0...300), "0",
            "seconds for which a swipe is kept for a holder whose connection is gone"),
        SettingDescription(
            "server", "state", .path, "/var/lib/swiped",
            "the folder for what outlives the daemon: volumes to put back, kinds of readers that were found out"
        ),
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

    private static let cards = [
        SettingDescription(
            "cards", "hash_key", .optionalPath, "",
            "a file whose bytes, 32 or more, are the key of card.hash, by which a card is known again without its number; empty: no "
                + "hashes")
    ]

    private static let log = [
        SettingDescription(
            "log", "level", .choice(LogLevel.allCases.map(\.rawValue)), "info",
            "the least important message that is logged")
    ]

    private static let readers = [
        SettingDescription("hid", "enabled", .flag, "yes", "look for USB and Bluetooth readers"),
        SettingDescription(
            "audio-reader", "device", .soundDevice, nil, "what captures"),
        SettingDescription(
            "audio-reader", "playback", .soundDevice, "",
            "what plays; empty: the same as device"),
        SettingDescription(
            "audio-reader", "mixer", .names, "",
            "the mixer elements to raise; empty: those on the way to a headphone jack"),
        SettingDescription(
            "audio-reader", "gain_mixer", .names, "",
            "the mixer elements that gain sets; empty: Capture, else the microphone's"),
        SettingDescription(
            "audio-reader", "jack", .text, "auto",
            "how the daemon knows that something is in the jack: auto, none (it always is), or the name of a control or an "
                + "input switch"),
    ]

    private static let names = [
        SettingDescription(
            "reader", "serial", .text, "",
            "the reader's serial number, as swipectl readers shows it; empty: whichever is at port"),
        SettingDescription(
            "reader", "port", .text, "",
            "the place that it is plugged into, as swipectl readers shows it, without or with what follows the last '/'; empty: "
                + "wherever the reader with serial is"),
    ]

    private static let virtual = [
        SettingDescription(
            "virtual-hid", "device", .text, "0801:0011",
            "the vendor and product id of the reader that it plays, one that is recognised by these alone (docs/readers.md)"
        ),
        SettingDescription(
            "virtual-hid", "source", .path, nil, "a named pipe; each line written to it is a report in hex"),
        SettingDescription(
            "virtual-audio", "source", .path, nil, "a named pipe; 16-bit samples written to it are the sound"),
        SettingDescription(
            "virtual-audio", "speed", .number(0.1...100), "1", "how much faster than life the sound passes"),
        SettingDescription(
            "virtual-audio", "sink", .optionalPath, "", "a named pipe; what the card plays can be read there"),
        SettingDescription(
            "virtual-audio", "jack", .optionalPath, "",
            "a named pipe; 1 written to it plugs the jack in, 0 pulls it out; empty: it is always in"),
        SettingDescription(
            "virtual-audio", "volume", .optionalPath, "",
            "a file with the playback volume; empty: there is none"),
        SettingDescription(
            "virtual-audio", "microphone", .optionalPath, "",
            "a file with the microphone's gain: left, right, and whether each is on; empty: there is none"),
    ]
}
