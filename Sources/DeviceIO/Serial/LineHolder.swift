import Glibc

/// Which program has a serial line, as far as this process may see: what other users' programs have open, only root is shown, and
/// the packaged daemon's sandbox hides it. A lock file, as modem programs leave one, is for everybody.
enum LineHolder {
    private static let mostProcesses = 4_096
    static let ownName = "this daemon (for another section)"
    private static let mostFiles = 32_768

    /// `minicom (process 1234)`; nil where it cannot be seen.
    ///
    /// - Parameter own: the descriptor by which this process has just tried the line; it holds nothing.
    static func name(
        of path: String, besides own: Int32? = nil, locks folder: String = "/run/lock"
    ) -> String? {
        var line = stat()
        guard stat(path, &line) == 0 else { return nil }
        guard let process = opener(of: line, besides: own) ?? locker(of: path, in: folder) else { return nil }
        if process == getpid() { return ownName }
        // A program calls itself what it likes.
        let name = firstLine(of: "/proc/\(process)/comm").filter { $0.isASCII && (" "..."~").contains($0) }
        return name.isEmpty ? "process \(process)" : "\(name) (process \(process))"
    }

    private static func opener(of line: stat, besides own: Int32?) -> Int32? {
        for process in numbers(in: "/proc", limit: mostProcesses) {
            for file in numbers(in: "/proc/\(process)/fd", limit: mostFiles)
            where process != getpid() || file != own {
                var status = stat()
                guard stat("/proc/\(process)/fd/\(file)", &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFCHR, status.st_rdev == line.st_rdev { return process }
            }
        }
        return nil
    }

    /// `LCK..ttyUSB0` holds the number of the process that made it, which may have ended without removing it.
    private static func locker(of path: String, in folder: String) -> Int32? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        guard let node = String(cString: resolved).split(separator: "/").last,
            let process = Int32(firstLine(of: "\(folder)/LCK..\(node)").filter { $0 != " " }), process > 0
        else { return nil }
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }

    /// Anybody may put anything into the folder of lock files: what is no plain file, as a pipe that nobody writes to, is not read.
    private static func firstLine(of path: String) -> String {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return "" }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return "" }
        return String(decoding: bytes.prefix(count).prefix { $0 != 0 && $0 != 0x0A }, as: UTF8.self)
    }

    private static func numbers(in folder: String, limit: Int) -> [Int32] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var numbers: [Int32] = []
        while let entry = readdir(directory), numbers.count < limit {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
