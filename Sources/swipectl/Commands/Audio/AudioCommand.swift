import ArgumentParser

/// `swipectl audio`: what concerns readers on a headset jack and needs no daemon.
struct AudioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audio",
        abstract: "Find out about a reader on a headset jack.",
        subcommands: [AudioProbeCommand.self])
}
