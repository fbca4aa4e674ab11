import Glibc
import UnixIO

/// A FIFO in a folder of its own, to be heard by the virtual sound card or a virtual HID reader.
final class SoundSource: Sendable {
    let folder: String
    let path: String

    init() throws {
        var template = Array("/tmp/swiped-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(operation: "mkdtemp", code: errno) }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = folder + "/source"
        try plug()
    }

    deinit {
        unlink(folder + "/program")
        unlink(path)
        unlink(path + ".sleep")
        rmdir(folder)
    }

    /// A program where everybody may run it, until the source goes.
    func copy(_ program: String) throws -> String {
        chmod(folder, 0o755)
        let copy = folder + "/program"
        let from = open(program, O_RDONLY | O_CLOEXEC)
        let to = open(copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
        defer {
            close(from)
            close(to)
        }
        var status = stat()
        fstat(from, &status)
        var sent: off_t = 0
        while sent < status.st_size {
            guard sendfile(to, from, &sent, Int(status.st_size - sent)) > 0 else {
                throw Failure(operation: "sendfile", code: errno)
            }
        }
        return copy
    }

    func plug() throws {
        guard mkfifo(path, 0o600) == 0 else { throw Failure(operation: "mkfifo", code: errno) }
    }

    func unplug() { unlink(path) }

    /// Puts the card to sleep once, as a suspend does.
    func sleep() { close(open(path + ".sleep", O_CREAT | O_CLOEXEC, 0o600)) }

    /// Writes all of it and closes, as `cat` does; on a thread of its own, for a FIFO blocks.
    func write(_ bytes: [UInt8]) {
        let path = path
        startThread {
            let file = open(path, O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            defer { close(file) }
            // F_SETPIPE_SZ (linux/fcntl.h): room for all of it, since the card hears silence where a busy machine
            // keeps this thread from writing in time.
            _ = fcntl(file, 1031, 1 << 20)
            _ = Whole.write(bytes, to: file)
        }
    }

    func write(_ samples: [Int16]) {
        write(samples.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) })
    }

    struct Failure: Error {
        let operation: String
        let code: Int32
    }
}

private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

func startThread(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(run))
    let failure = pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, work.toOpaque())
    if failure == 0 { pthread_detach(thread) } else { work.release() }
}

/// A sound that no silence can be mistaken for: every sample is another one than its neighbours, none is zero.
func ramp(_ count: Int) -> [Int16] {
    (0..<count).map { Int16(truncatingIfNeeded: 1 + $0 % 30_000) }
}
