import EventServer
import ReaderKit
import SwipeProtocol

/// What clients ask of one reader.
extension DaemonBackend {
    /// Hands a request to the driver at work.
    func ask(_ request: ReaderRequest, _ reader: String?) async -> Result<ControlResult, ErrorReply> {
        switch await asker(reader) {
        case .success(let asker): Self.reply(await asker.request(request))
        case .failure(let error): .failure(error)
        }
    }

    func set(_ settings: ReaderSettings, _ reader: String?) async -> Result<ControlResult, ErrorReply> {
        guard let reader, let port = await devices.port(of: reader) else {
            // Readers of other kinds say themselves that there is nothing to set.
            return await ask(.configure(ReaderOptions()), reader)
        }
        return Self.reply(await port.configure(settings))
    }

    func settings(of reader: String?) async -> Result<ControlResult, ErrorReply> {
        guard let reader, let port = await devices.port(of: reader) else {
            return .failure(
                ErrorReply(
                    .readerUnsupported,
                    "only what is at a sound input has settings; what others keep themselves, 'swipectl property' and property_get read"
                ))
        }
        return .success(.settings(await port.settings()))
    }

    func levels(of reader: String?, after number: UInt64?) async -> Result<ControlResult, ErrorReply> {
        guard let reader, let port = await devices.port(of: reader) else {
            return .failure(
                ErrorReply(.readerUnsupported, "only what is at a sound input has levels"))
        }
        guard let levels = port.levels(after: number) else {
            return .failure(ErrorReply(.readerInactive, "the microphone is closed"))
        }
        return .success(.levels(levels))
    }

    func setAudioReader(_ type: AudioReaderType, _ reader: String?) async -> Result<ControlResult, ErrorReply>
    {
        guard let reader, let port = await devices.port(of: reader) else { return .failure(Self.notAtAJack) }
        let isSearching = await port.setType(type)
        guard type == .autodetect else { return .success(.taken()) }
        return Self.reply(.accepted(warning: isSearching ? Self.loudTones : Self.laterTones))
    }

    func autodetect(_ reader: String?) async -> Result<ControlResult, ErrorReply> {
        guard let reader, let port = await devices.port(of: reader) else { return .failure(Self.notAtAJack) }
        guard await port.autodetect() else {
            return .failure(ErrorReply(.readerInactive, "nothing is in the jack"))
        }
        return Self.reply(.accepted(warning: Self.loudTones))
    }

    func answer(_ id: String, _ answer: String, _ reader: String?) async -> Result<ControlResult, ErrorReply>
    {
        switch prompts.request(answering: id, of: reader ?? "", with: answer) {
        case .success(let request): await ask(request, reader)
        case .failure(let error): .failure(error)
        }
    }

    /// A question to a holder that is gone counts as declined; a message stays, for the next holder.
    func claimEnded(of reader: String) async {
        guard let request = prompts.abandon(reader) else { return }
        _ = await ask(request, reader)
    }

    func property(
        _ name: String, _ value: JSONValue?, _ reader: String?
    ) async -> Result<ControlResult, ErrorReply> {
        let asker: any ReaderAsker
        switch await self.asker(reader) {
        case .success(let found): asker = found
        case .failure(let error): return .failure(error)
        }
        var newValue: PropertyValue?
        if let value {
            guard let parsed = PropertyValue(json: value) else {
                return .failure(ErrorReply(.parameterInvalid, "'value' must be a text or a whole number"))
            }
            newValue = parsed
        }
        switch await asker.property(name, newValue: newValue) {
        case .success(let value): return .success(.property(name: name, value: value.json))
        case .failure(let error): return .failure(ErrorReply(error))
        }
    }

    private static let loudTones =
        "loud tones come from the jack now; a headphone in it should not be worn"
    private static let laterTones =
        "loud tones come from the jack when something is plugged in; a headphone should not be worn then"
    private static let notAtAJack = ErrorReply(
        .readerUnsupported, "only what is at a sound input can be a reader of another kind")

    private func asker(_ reader: String?) async -> Result<any ReaderAsker, ErrorReply> {
        guard let reader, let current = await supervisor.session(of: reader) else {
            if let reader, let port = await devices.port(of: reader) {
                return .failure(ErrorReply(.readerInactive, await port.whyAbsent))
            }
            return .failure(ErrorReply(.readerUnknown, "no such reader"))
        }
        guard let asker = current.holder else {
            return .failure(ErrorReply(.readerInactive, "the reader is not open now"))
        }
        return .success(asker)
    }

    private static func reply(_ outcome: RequestOutcome) -> Result<ControlResult, ErrorReply> {
        switch outcome {
        case .accepted(let warning): .success(.taken(warning: warning))
        case .refused(let refusal): .failure(ErrorReply(refusal))
        }
    }
}

extension ErrorReply {
    /// Why a reader did not accept a request, for a client.
    init(_ refusal: RequestRefusal) {
        let code: ErrorCode
        switch refusal.code {
        case .notApplicable: code = .readerUnsupported
        case .wrongState: code = .readerState
        case .notPowered: code = .readerInactive
        case .automatic: code = .readerAutomatic
        case .busy: code = .readerBusy
        case .outOfRange: code = .parameterInvalid
        case .noSuchPrompt: code = .promptUnknown
        case .gone: code = .readerGone
        }
        self.init(code, refusal.reason)
    }
}
