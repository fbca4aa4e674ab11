internal import Glibc

/// Reports when something happens to the file of a listening socket: through inotify, which costs nothing until then.
struct SocketFileWatch {
    /// To poll: there is something to read when the file may have changed. -1 where the kernel gives no watch: a user has
    /// 128 of them in all programs together (fs.inotify.max_user_instances).
    let descriptor: Int32

    init() { descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Tells nothing: as where the kernel gives no watch.
    static let blind = SocketFileWatch(descriptor: -1)

    var isBlind: Bool { descriptor < 0 }

    func close() { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Watches the file that is there now, and the folder.
    ///
    /// The file itself reports when it loses its name or gets another; the folder reports where the file may not be
    /// watched, and when it is moved away as a whole.
    func watch(_ path: String) {
        let ofFile = UInt32(IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)
        let isWatched = inotify_add_watch(descriptor, path, ofFile) >= 0
        let ofFolder = UInt32(IN_MOVE_SELF | IN_DELETE_SELF)
        let names = isWatched ? 0 : UInt32(IN_DELETE | IN_MOVED_FROM)
        inotify_add_watch(descriptor, SocketFileWatch.folder(of: path), ofFolder | names)
    }

    /// Forgets what has happened: the caller looks at the file.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
