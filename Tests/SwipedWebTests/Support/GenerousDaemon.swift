import Foundation
import Synchronization
import Testing

/// A daemon that answers `narrow` as it is told to, and then shows a card in full to whoever says anything more.
final class GenerousDaemon: Sendable {
    static let number = "4111111111111111"

    private let door: Door
    private let path: String

    /// What its thread closes, and no one else: a number that is closed may be another's at once.
    private final class Door: Sendable {
        let listener: Int32
        let connection = Mutex<Int32?>(nil)

        init(_ listener: Int32) { self.listener = listener }

        func serve(_ client: (Int32) -> Void) {
            while true {
                let accepted = accept(listener, nil, nil)
                guard accepted >= 0 else { break }
                connection.withLock { $0 = accepted }
                client(accepted)
                connection.withLock {
                    $0 = nil
                    close(accepted)
                }
            }
            close(listener)
        }

        /// Wakes the thread, wherever it waits.
        func shut() {
            shutdown(listener, Int32(SHUT_RDWR))
            connection.withLock { if let open = $0 { shutdown(open, Int32(SHUT_RDWR)) } }
        }
    }

    /// - Parameters:
    ///   - path: where it listens; what is there is replaced.
    ///   - roles: what it says that is left, as JSON.
    ///   - early: whether it shows the card before it answers.
    init(at path: String, leaving roles: String, early: Bool = false) throws {
        self.path = path
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        door = Door(listener)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
        }
        try #require(code == 0 && listen(listener, 4) == 0)
        Thread.detachNewThread { [door] in door.serve { Self.serve($0, roles, early) } }
    }

    deinit {
        door.shut()
        unlink(path)
    }

    private static func serve(_ connection: Int32, _ roles: String, _ early: Bool) {
        let you = #""uid":0,"roles":\#(roles),"connection":1"#
        say(
            #"{"hello":{"protocol":"swipe/1","daemon":"swiped 0.1.0","instance":"abc","seq":0,"#
                + #""you":{\#(you)},"limits":{"line_in":16384,"line_out":65536}}}"#, connection)
        guard hears(connection) else { return }
        let pan = #"{"masked":"411111******1111","length":16,"number":"\#(number)"}"#
        let card = #""card":{"kind":"payment","pan":\#(pan)},"tracks":[],"encryption":null"#
        let swipe =
            #"{"event":"swipe","seq":1,"time":"2026-01-31T09:30:00.123456Z","mono_ns":1,"reader":"r","data":{\#(card)}}"#
        if early { say(swipe, connection) }
        say(#"{"id":"swiped-web","result":{\#(you)}}"#, connection)
        // What a page asks, or a stream of events by itself.
        guard hears(connection) else { return }
        say(swipe, connection)
        while hears(connection) {}
    }

    private static func say(_ line: String, _ connection: Int32) {
        let bytes = Array((line + "\n").utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// False at the end.
    private static func hears(_ connection: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        return read(connection, &bytes, bytes.count) > 0
    }
}
