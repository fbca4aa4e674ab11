import NIOConcurrencyHelpers
import ReaderKit
import SwipeProtocol

/// The prompts that are open, one a reader, under names that clients answer to.
///
/// A driver counts its prompts anew with each session; on the wire none has the name of an earlier one, so that a late
/// answer is never used for another question.
final class PromptLedger: Sendable {
    private struct Open {
        var prompt: Prompt
        var number: Int
        /// Whether no client is left that could answer.
        var isAbandoned = false
    }

    private struct State {
        var open: [String: Open] = [:]
        var shown = 0
    }

    private let state = NIOLockedValueBox(State())

    /// The prompt that is open at a reader.
    func open(of reader: String) -> Prompt? { state.withLockedValue { $0.open[reader]?.prompt } }

    func shown(_ prompt: ReaderPrompt, of reader: String, at now: WallTime) {
        state.withLockedValue { state in
            state.shown += 1
            state.open[reader] = Open(
                prompt: Prompt(
                    id: "\(state.shown)", kind: Self.kind(prompt.kind), text: prompt.text,
                    answers: prompt.kind.isQuestion ? PromptAnswer.allCases.map(\.rawValue) : [Self.taken],
                    expiresAt: prompt.expiresIn.map { now.advanced(by: $0) }),
                number: prompt.id)
        }
    }

    /// How the open prompt ended, for clients.
    func closed(of reader: String, _ closure: PromptClosure) -> EventBody? {
        guard let open = state.withLockedValue({ $0.open.removeValue(forKey: reader) }) else { return nil }
        if open.isAbandoned, closure == .declined {
            return .promptClosed(id: open.prompt.id, .withdrawn)
        }
        let answer = open.prompt.kind.isQuestion
        switch closure {
        case .accepted:
            return .promptClosed(
                id: open.prompt.id, .answered, answer: answer ? PromptAnswer.accept.rawValue : Self.taken)
        case .declined:
            return .promptClosed(
                id: open.prompt.id, .answered, answer: answer ? PromptAnswer.decline.rawValue : Self.taken)
        case .expired: return .promptClosed(id: open.prompt.id, .timeout)
        case .over, .disconnected: return .promptClosed(id: open.prompt.id, .withdrawn)
        }
    }

    /// No client is there any more to answer the question that is open at a reader; returns what the driver gets then.
    func abandon(_ reader: String) -> ReaderRequest? {
        state.withLockedValue { state in
            guard let open = state.open[reader], open.prompt.kind.isQuestion else { return nil }
            state.open[reader]?.isAbandoned = true
            return .answerPrompt(id: open.number, .decline)
        }
    }

    func forget(_ reader: String) { state.withLockedValue { $0.open[reader] = nil } }

    /// What the driver gets for an answer.
    func request(
        answering id: String, of reader: String, with answer: String
    ) -> Result<ReaderRequest, ErrorReply> {
        guard let open = state.withLockedValue({ $0.open[reader] }), open.prompt.id == id else {
            return .failure(ErrorReply(.promptUnknown, "there is no such prompt, or it is over"))
        }
        guard open.prompt.answers.contains(answer) else {
            let known = open.prompt.answers.joined(separator: ", ")
            return .failure(ErrorReply(.parameterInvalid, "answer: not one of \(known)"))
        }
        return .success(.answerPrompt(id: open.number, PromptAnswer(rawValue: answer) ?? .accept))
    }

    /// The answer to a message.
    private static let taken = "ok"

    private static func kind(_ kind: ReaderPrompt.Kind) -> PromptKind {
        switch kind {
        case .activation: .activation
        case .activationAtMaximumVolume: .activationAtMaximumVolume
        case .initializing: .initializing
        case .timeout: .timeout
        case .volumeTooLow: .volumeTooLow
        }
    }
}

extension WallTime {
    /// So much later.
    func advanced(by duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        return WallTime(
            microseconds: microseconds &+ seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000)
    }
}
