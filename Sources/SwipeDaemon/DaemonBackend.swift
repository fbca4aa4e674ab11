import EventServer
import Logging
import ReaderKit
import SwipeProtocol

/// What clients ask for beyond the socket server: of a reader, or of the daemon itself.
struct DaemonBackend: ServerBackend {
    let supervisor: ReaderSupervisor
    let devices: DeviceWatch
    let prompts: PromptLedger
    let reloader: Reloader
    let log: DaemonLog
    let simulator: Simulator

    func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<ControlResult, ErrorReply> {
        switch request {
        case .reload: await reload()
        case .logLevel(let level): setLogLevel(level)
        case .propertyGet(let name): await property(name, nil, reader)
        case .propertySet(let name, let value): await property(name, value, reader)
        case .simulate(let action): await simulator.perform(action, reader: reader)
        case .activate: await ask(.activate, reader)
        case .deactivate: await ask(.deactivate, reader)
        case .cancelActivation: await ask(.cancelActivation, reader)
        case .requestSwipe(let seconds):
            await ask(.requestSwipe(timeout: seconds.map { .seconds($0) }), reader)
        case .cancelSwipe: await ask(.cancelSwipe, reader)
        case .testCommunication: await ask(.testCommunication, reader)
        case .set(let settings): await set(settings, reader)
        case .get: await self.settings(of: reader)
        case .levels(let after): await levels(of: reader, after: after)
        case .setAudioReader(let type): await setAudioReader(type, reader)
        case .autodetect: await autodetect(reader)
        case .answerPrompt(let id, let answer): await self.answer(id, answer, reader)
        }
    }

    private func reload() async -> Result<ControlResult, ErrorReply> {
        switch await reloader.reload() {
        case .success: .success(.taken())
        case .failure(let error): .failure(ErrorReply(.configurationInvalid, error.description))
        }
    }

    private func setLogLevel(_ wanted: LogLevel?) -> Result<ControlResult, ErrorReply> {
        if let wanted {
            guard let level = Logger.Level(rawValue: wanted.rawValue) else {
                return .failure(ErrorReply(.parameterInvalid, "no such level"))
            }
            log.level = level
        }
        guard let now = LogLevel(rawValue: log.level.rawValue) else {
            return .failure(ErrorReply(.serverFailed, "the log has a level of another name"))
        }
        return .success(.logLevel(now))
    }
}
