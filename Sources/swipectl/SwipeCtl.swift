import ArgumentParser
import SwipeProtocol

/// The root command. To add one: a file in `Commands/`, a line in `subcommands`.
struct SwipeCtl: AsyncParsableCommand {
    static let version = PackageVersion.current

    static let configuration = CommandConfiguration(
        commandName: "swipectl",
        abstract: "Look at swiped's card readers and what is swiped on them.",
        discussion: """
            Exit status: 0 success, 1 error, 2 wrong usage, 3 the daemon cannot be reached, \
            4 no such reader, 5 permission denied, 6 no swipe in what was read.
            """,
        version: "swipectl \(version)",
        subcommands: [
            StatusCommand.self,
            DoctorCommand.self,
            WatchCommand.self,
            ReadersCommand.self,
            ClaimCommand.self,
            ActivateCommand.self,
            DeactivateCommand.self,
            RequestCommand.self,
            CancelCommand.self,
            AnswerCommand.self,
            SetCommand.self,
            GetCommand.self,
            ReaderTypeCommand.self,
            AutodetectCommand.self,
            TestCommand.self,
            PropertyCommand.self,
            StatsCommand.self,
            ReloadCommand.self,
            LogLevelCommand.self,
            SimulateCommand.self,
            DecodeCommand.self,
            MeterCommand.self,
            QualityCommand.self,
            SynthCommand.self,
            RecordCommand.self,
            ReplayCommand.self,
            ContributeCommand.self,
            AudioCommand.self,
            ShellCommand.self,
            WebCommand.self,
            GenerateCommand.self,
        ]
    )
}
