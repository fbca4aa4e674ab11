import SwipeClient
import Synchronization
import TillScreen

/// Feels whether the daemon still answers: a connection to one that was stopped stays, and says nothing for ever.
///
/// Why a connection of its own: on the other one a question waits for the answer to the one before it, and a reader that
/// wakes up takes seconds.
final class DaemonPulse: Sendable {
    /// How long an answer may take, and how long to wait after it: together less than a second.
    static let patience = Duration.milliseconds(550)
    static let pause = Duration.milliseconds(250)

    private let socket: String
    private let tell: @Sendable (ReaderNews) -> Void
    private let board = Mutex(Board())

    private struct Board {
        /// What there is to say of the reader while the daemon answers.
        var news = ReaderNews.looking
        var isMute = false
    }

    init(socket: String, tell: @escaping @Sendable (ReaderNews) -> Void) {
        self.socket = socket
        self.tell = tell
    }

    /// Tells what there is to say of the reader. It comes from the daemon, so that is not mute, or from its absence.
    func take(_ news: ReaderNews) {
        board.withLock { $0 = Board(news: news) }
        tell(news)
    }

    /// Until the task is cancelled.
    func run() async {
        let client = SwipeClient(path: socket, reconnects: false, timeout: Self.patience)
        while !Task.isCancelled {
            do throws(SwipeClientError) {
                try await client.ping()
                answered(true)
            } catch {
                // Where there is no daemon, who holds the reader says so.
                if error.code == .timedOut { answered(false) }
            }
            try? await Task.sleep(for: Self.pause)
        }
        client.close()
    }

    private func answered(_ isAlive: Bool) {
        guard !Task.isCancelled else { return }
        let news = board.withLock { board -> ReaderNews? in
            guard board.isMute == isAlive else { return nil }
            board.isMute = !isAlive
            return isAlive ? board.news : .mute
        }
        if let news { tell(news) }
    }
}
