import Glibc
import Testing

@testable import DeviceIO

/// The folder of a virtual reader's source, watched by inotify.
@Suite struct SourceWatchTests {
    /// How many changes the kernel keeps (`fs.inotify.max_queued_events`), where that is not too many to make.
    private static let kept: Int? = {
        guard let file = fopen("/proc/sys/fs/inotify/max_queued_events", "re") else { return nil }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 32)
        guard fgets(&text, Int32(text.count), file) != nil else { return nil }
        let count = atoi(text)
        return (1...100_000).contains(count) ? Int(count) : nil
    }()

    private static func touch(_ path: String) {
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        unlink(path)
    }

    @Test func tellsWhatHappened() throws {
        let source = try SoundSource()
        var watch = try SourceWatch()
        let path = source.folder + "/other"
        watch.add(path)
        Self.touch(path)
        let changes = watch.changes()
        #expect(changes == [.appeared(path), .vanished(path)])
    }

    /// More than the kernel keeps: it drops the rest, and says so.
    @Test(.enabled(if: kept != nil, "the kernel keeps too many changes"))
    func saysThatChangesAreLost() throws {
        let source = try SoundSource()
        var watch = try SourceWatch()
        let path = source.folder + "/other"
        watch.add(path)
        for _ in 0...(Self.kept ?? 0) / 2 { Self.touch(path) }
        var isLost = false
        while true {
            let changes = watch.changes()
            guard !changes.isEmpty else { break }
            isLost = isLost || changes.contains(.lost)
        }
        #expect(isLost)
    }
}
