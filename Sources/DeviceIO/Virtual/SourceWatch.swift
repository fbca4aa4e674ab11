import Glibc
import ReaderKit

/// Tells when the source of a virtual reader appears or disappears, through inotify on its folder.
struct SourceWatch: ~Copyable {
    private static let bufferBytes = 16 * 1_024

    private let inotify: Int32
    private var folders: [Int32: String]

    init() throws(DeviceError) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw .system(errno: errno, operation: "inotify_init1") }
        inotify = descriptor
        folders = [:]
    }

    deinit { close(inotify) }

    /// Owned by the watch: to poll, never to close.
    var descriptor: Int32 { inotify }

    /// Watches the folder of `path`. A folder that does not exist shows nothing until the next rescan.
    mutating func add(_ path: String) {
        let folder = Self.folder(of: path)
        let watch = inotify_add_watch(
            inotify, folder, UInt32(IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM))
        if watch >= 0 { folders[watch] = folder }
    }

    enum Change: Hashable {
        case appeared(String)
        case vanished(String)
        /// The kernel dropped changes (`IN_Q_OVERFLOW`): only a look at the folders tells.
        case lost
    }

    /// What happened since the last call, in order.
    borrowing func changes() -> [Change] {
        withUnsafeTemporaryAllocation(
            byteCount: Self.bufferBytes, alignment: MemoryLayout<inotify_event>.alignment
        ) {
            buffer in
            let count = read(inotify, buffer.baseAddress, buffer.count)
            guard count > 0 else { return [] }
            return parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// inotify_event: wd:4 mask:4 cookie:4 len:4 name:len, the name padded with zeros.
    private borrowing func parse(_ bytes: UnsafeRawBufferPointer) -> [Change] {
        let header = MemoryLayout<inotify_event>.size
        var changes: [Change] = []
        var offset = 0
        while offset + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + header + Int(event.len)
            guard end <= bytes.count else { break }
            let name = String(decoding: bytes[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
            // It belongs to no folder.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { changes.append(.lost) }
            if let folder = folders[event.wd] {
                let path = folder == "/" ? "/" + name : folder + "/" + name
                let isThere = event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0
                changes.append(isThere ? .appeared(path) : .vanished(path))
            }
            offset = end
        }
        return changes
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
