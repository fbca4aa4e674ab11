import DeviceIO
import ReaderKit

/// Reports what is in the jack of a sound input, from the best source that there is: the card's jack controls, else
/// input switches, else it is taken for granted.
struct JackWatch: Sendable {
    /// What was found out.
    enum Report: Sendable, Hashable {
        /// There is no source: something counts as in the jack for as long as the card is there.
        case nothingTells
        case sensed(JackState)
        /// It cannot be known now; it is tried again.
        case failed(DeviceError)
    }

    let source: JackSource
    let report: @Sendable (Report) async -> Void

    /// Watches until the task is cancelled.
    func run() async {
        guard case .sensed(let configuration, let card) = source else { return await report(.nothingTells) }
        var backoff = Backoff()
        while !Task.isCancelled {
            let begun = ContinuousClock.now
            let failure = await watch(configuration, card)
            backoff.worked(for: .now - begun)
            switch failure {
            case .unsupported: return await report(.nothingTells)
            case .closed: return
            case .gone, .permissionDenied, .busy, .timedOut, .refused, .suspended, .volumeTooLow,
                .playbackMissing, .mixerMissing, .system:
                await report(.failed(failure))
                try? await Task.sleep(for: backoff.next())
            }
        }
    }

    private func watch(_ configuration: JackConfiguration, _ card: String) async -> DeviceError {
        do throws(DeviceError) {
            return await follow(try JackMonitor(configuration))
        } catch {
            return error
        }
    }

    /// The controls first; a card that has none may have switches.
    private func follow(_ monitor: JackMonitor) async -> DeviceError {
        let failure = await states { () async throws(DeviceError) in
            try await monitor.next()
        } close: {
            await monitor.close()
        }
        guard case .unsupported = failure, case .sensed(let configuration, let card) = source else {
            return failure
        }
        let choice: InputSwitchMonitor.Choice =
            configuration.name.map { .named($0) } ?? .onCard(syspath: card)
        do throws(DeviceError) {
            let switches = try InputSwitchMonitor(choice)
            return await states { () async throws(DeviceError) in
                try await switches.next()
            } close: {
                await switches.close()
            }
        } catch {
            return error
        }
    }

    private func states(
        next: @Sendable () async throws(DeviceError) -> JackState, close: @escaping @Sendable () async -> Void
    ) async -> DeviceError {
        let failure = await withTaskCancellationHandler { () -> DeviceError in
            while true {
                do throws(DeviceError) { await report(.sensed(try await next())) } catch { return error }
            }
        } onCancel: {
            Task { await close() }
        }
        await close()
        return failure
    }
}
