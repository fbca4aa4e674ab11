import EventServer
import Logging
import ReaderKit
import SwipeProtocol

/// What clients ask for beyond the socket server: of a reader, or of the daemon itself.
struct DaemonBackend: ServerBackend {
    let supervisor: ReaderSupervisor
    let reloader: Reloader
    let log: DaemonLog
    let simulator: Simulator

    func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<JSONValue, ErrorReply> {
        switch request {
        case .reload: await reload()
        case .logLevel(let level): setLogLevel(level)
        case .propertyGet(let name): await property(name, nil, reader)
        case .propertySet(let name, let value): await property(name, value, reader)
        case .simulate(let action): await simulator.perform(action, reader: reader)
        case .activate, .deactivate, .cancelActivation, .requestSwipe, .cancelSwipe, .set:
            .failure(
                ErrorReply(.readerUnsupported, "this reader is always powered and always accepts swipes"))
        case .testCommunication:
            .failure(ErrorReply(.readerUnsupported, "this reader cannot be asked for a sign of life"))
        case .setAudioReader, .autodetect:
            .failure(
                ErrorReply(
                    .readerUnsupported, "its USB id or the configuration says which kind of reader it is"))
        case .answerPrompt: .failure(ErrorReply(.promptUnknown, "there is no such prompt, or it is over"))
        }
    }

    private func reload() async -> Result<JSONValue, ErrorReply> {
        switch await reloader.reload() {
        case .success: .success([:])
        case .failure(let error): .failure(ErrorReply(.configurationInvalid, error.description))
        }
    }

    private func setLogLevel(_ level: LogLevel) -> Result<JSONValue, ErrorReply> {
        guard let level = Logger.Level(rawValue: level.rawValue) else {
            return .failure(ErrorReply(.parameterInvalid, "no such level"))
        }
        log.level = level
        return .success([:])
    }

    private func property(
        _ name: String, _ value: JSONValue?, _ reader: String?
    ) async -> Result<JSONValue, ErrorReply> {
        guard let reader, let current = await supervisor.session(of: reader) else {
            return .failure(ErrorReply(.readerUnknown, "no such reader"))
        }
        guard let holder = current.holder else {
            return .failure(ErrorReply(.readerInactive, "the reader is not open now"))
        }
        var newValue: PropertyValue?
        if let value {
            guard let parsed = PropertyValue(json: value) else {
                return .failure(ErrorReply(.parameterInvalid, "'value' must be a text or a whole number"))
            }
            newValue = parsed
        }
        switch await holder.property(name, newValue: newValue) {
        case .success(let value): return .success(["name": .string(name), "value": value.json])
        case .failure(let error): return .failure(ErrorReply(error))
        }
    }
}
