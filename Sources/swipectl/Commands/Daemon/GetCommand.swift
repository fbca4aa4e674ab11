import ArgumentParser
import SwipeClient
import SwipeProtocol

/// Shows the settings of a reader at a sound input that are in force.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show the settings of a reader at a headset jack that are in force.",
        discussion: """
            Each with where it is from: the configuration, a client that set it (it holds until the daemon or its \
            configuration is loaded anew), or a search that found the kind of reader.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "One JSON object.")
    var json = false

    @Argument(help: "The reader: its id, its name, or the beginning of one.", completion: .readers)
    var reader: String

    func run() async throws {
        try await connection.withClient { client in
            let settings = try await client.meaning(reader) { try await client.settings(of: $0) }
            try json ? Output.line(settings) : Output.result(Self.text(settings))
        }
    }

    static func text(_ settings: SettingsInForce) -> String {
        var table = Table(header: ["SETTING", "VALUE", "FROM"])
        func add<Value>(_ name: String, _ setting: SettingInForce<Value>, _ words: (Value) -> String) {
            table.append([
                Table.Cell(name, .notable), Table.Cell(words(setting.value)),
                Table.Cell(setting.source.rawValue),
            ])
        }
        let (flag, seconds) = ({ $0 ? "yes" : "no" } as (Bool) -> String, { "\($0)" } as (Int) -> String)
        add("type", settings.type) { $0.rawValue }
        add("always_accept_swipe", settings.alwaysAcceptSwipe, flag)
        add("activate_on_attach", settings.activateOnAttach, flag)
        add("volume_to_max", settings.volumeToMax, flag)
        add("activate_without_prompting", settings.activateWithoutPrompting, flag)
        add("swipe_timeout_s", settings.swipeTimeoutSeconds, seconds)
        add("prompt_timeout_s", settings.promptTimeoutSeconds, seconds)
        if let gain = settings.gain { add("gain", gain) { "\($0) %" } }
        return table.text(.forStandardOutput())
    }
}
