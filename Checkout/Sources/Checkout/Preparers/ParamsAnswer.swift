internal import Synchronization

/// The answer to one request for parameters, for preparers that wait for a person in callbacks.
///
/// It cannot be copied, so it cannot be given twice: the compiler refuses. Dropped, it says "no longer wanted".
public struct ParamsAnswer: ~Copyable, Sendable {
    private let slot: AnswerSlot

    fileprivate init(_ slot: AnswerSlot) { self.slot = slot }

    /// Answers with parameters, or with nil for "no longer wanted".
    public consuming func give(_ params: SourceParams?) { slot.give(params) }

    deinit { slot.give(nil) }
}

/// Waits for an answer that is given elsewhere.
///
/// ```swift
/// func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
///     await withParamsAnswer { answer in pending = consume answer }
/// }
/// func payPressed() { pending.take()?.give(decorated) }
/// ```
public func withParamsAnswer(_ body: (consuming ParamsAnswer) -> Void) async -> SourceParams? {
    await withCheckedContinuation { body(ParamsAnswer(AnswerSlot($0))) }
}

/// The continuation, resumed by the first answer.
private final class AnswerSlot: Sendable {
    private let continuation: CheckedContinuation<SourceParams?, Never>
    private let isAnswered = Atomic(false)

    init(_ continuation: CheckedContinuation<SourceParams?, Never>) { self.continuation = continuation }

    func give(_ params: SourceParams?) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        continuation.resume(returning: params)
    }
}
