import Glibc

/// The files of a system, below a folder: of the running one, or of one that somebody put together for a test.
package struct SystemTree: Sendable {
    /// No file that is read here is longer; what is behind that is left out.
    private static let maximumBytes = 262_144
    /// No folder has more that matters.
    private static let maximumNames = 65_536

    package struct Status: Sendable, Equatable {
        package var owner: UInt32
        package var group: UInt32
        package var mode: UInt32
        /// Seconds since 1970, by this machine's clock: a file that a package brought, or `cp -p`, has the date of another as that of its content.
        package var changedAt: Int
    }

    private let root: String

    /// - Parameter root: the folder in the place of `/`; empty for the running system.
    package init(root: String = "") {
        var root = root[...]
        while root.last == "/" { root.removeLast() }
        // Below a link, what `real(_:)` finds would seem to be outside.
        self.root = root.isEmpty ? "" : Self.resolved(String(root)) ?? String(root)
    }

    package func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// Nothing is there for sure: what a folder hides from this user may be there.
    func isAbsent(_ path: String) -> Bool { access(root + path, F_OK) != 0 && errno == ENOENT }

    package func bytes(_ path: String) -> [UInt8]? {
        let file = open(root + path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < Self.maximumBytes {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// A file's text, without the end of its last line or the zero byte of a device tree's.
    package func text(_ path: String) -> String? {
        guard var bytes = bytes(path) else { return nil }
        while bytes.last == UInt8(ascii: "\n") || bytes.last == 0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    package func lines(_ path: String) -> [String] {
        (text(path) ?? "").split(separator: "\n").map(String.init)
    }

    /// What is in a folder, in the order of its names; nothing where it cannot be read.
    package func names(in folder: String) -> [String] {
        guard let directory = opendir(root + folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory), names.count < Self.maximumNames {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// What a link says, as it says it.
    package func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(root + path, &target, Int(PATH_MAX))
        guard count > 0 else { return nil }
        return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A path without links in it; nil where nothing is there.
    package func real(_ path: String) -> String? {
        guard let resolved = Self.resolved(root + path), resolved.hasPrefix(root) else { return nil }
        return String(resolved.dropFirst(root.count))
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package func status(_ path: String) -> Status? {
        var status = stat()
        guard stat(root + path, &status) == 0 else { return nil }
        return Status(
            owner: status.st_uid, group: status.st_gid, mode: UInt32(status.st_mode) & 0o7777,
            changedAt: status.st_ctim.tv_sec)
    }
}

/// What `key=value` lines say.
struct Settings {
    private let lines: [String]
    private let separator: Character

    init(_ lines: [String], separator: Character = "=") {
        self.lines = lines
        self.separator = separator
    }

    subscript(key: String) -> String? {
        for line in lines {
            let parts = line.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == key {
                return String(parts[1].drop { $0 == " " || $0 == "\t" })
            }
        }
        return nil
    }
}
