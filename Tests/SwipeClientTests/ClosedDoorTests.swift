import Glibc
import SwipeClient
import SwipeProtocol
import TestSupport
import Testing

/// A socket that lets nobody in: for good, or for the moment between `bind` and `chmod` in a daemon that starts again.
@Suite(.timeLimit(.minutes(5))) struct ClosedDoorTests {
    private func allow(_ mode: mode_t, _ daemon: ScriptedDaemon) {
        #expect(chmod(daemon.path, mode) == 0, "errno \(errno)")
    }

    /// A daemon in a folder that everybody may look into.
    private func openDaemon() throws -> ScriptedDaemon {
        let daemon = try ScriptedDaemon()
        let folder = daemon.path.split(separator: "/").dropLast().joined(separator: "/")
        #expect(chmod("/" + folder, 0o711) == 0, "errno \(errno)")
        return daemon
    }

    @Test func whoComesFirstIsToldAtOnce() async throws {
        let daemon = try openDaemon()
        allow(0o600, daemon)
        let client = SwipeClient(path: daemon.path)
        let connecting = Task(executorPreference: Unprivileged.threads) { try await client.connect() }
        await #expect { try await connecting.value } throws: { ($0 as? SwipeClientError)?.code == .denied }
    }

    @Test func whoComesBackWaits() async throws {
        let daemon = try openDaemon()
        allow(0o666, daemon)
        let client = SwipeClient(path: daemon.path, timeout: .milliseconds(300))
        let stream = client.events()
        let first = Task(executorPreference: Unprivileged.threads) {
            try await stream.nextArrival()?.event.sequence
        }
        var peer = await daemon.accept()
        peer.greet(0)
        try await peer.answer("subscribe", #"{"seq":0,"readers":[]}"#)
        peer.event("ready", 1, #"{"expires_at":null}"#)
        #expect(try await first.value == 1)
        allow(0o600, daemon)
        peer.leave()
        await #expect {
            while true { try await client.ping() }
        } throws: { error in
            // Sent just before the connection broke, or waiting for the next one.
            [.connectionLost, .timedOut].contains((error as? SwipeClientError)?.code)
        }
        await #expect { try await client.ping() } throws: { ($0 as? SwipeClientError)?.code == .timedOut }
        allow(0o666, daemon)
        peer = await daemon.accept()
        peer.greet(1)
        try await peer.answer("subscribe", #"{"seq":1}"#)
        peer.event("ready", 2, #"{"expires_at":null}"#)
        #expect(try await stream.nextArrival()?.event.sequence == 2)
        client.close()
    }
}

/// Runs jobs, and so starts threads, that have no more rights to files than a user without any: also where root tests.
private final class Unprivileged: TaskExecutor {
    static let threads = Unprivileged()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Task.detached {
            await onThread {
                Unprivileged.dropRights()
                job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
        }
    }

    /// setfsuid(2): of this thread only, which takes root's rights to files from it. The header is in no module of Swift's.
    private static func dropRights() {
        guard let function = dlsym(nil, "setfsuid") else { return }
        let nobody: uid_t = 65_534
        _ = unsafeBitCast(function, to: (@convention(c) (uid_t) -> Int32).self)(nobody)
    }
}
