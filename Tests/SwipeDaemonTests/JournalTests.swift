import Glibc
import Logging
import ServiceSupport
import Testing
import UnixIO

@testable import SwipeDaemon

/// What the journal gets: an entry with a field for each value.
@Suite struct JournalTests {
    /// A datagram socket in the place of the journal's.
    private func withJournal(
        at path: String = "/tmp/swiped-journal-\(UInt64.random(in: 0...UInt64.max))",
        _ body: (String, () -> String) throws -> Void
    ) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        let bound = UnixAddress(path: path)?.with { bind(descriptor, $0, $1) }
        try #require(bound == 0)
        try body(path) {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test func anEntryHasAFieldForEachValue() throws {
        try withJournal { path, entry in
            let journal = try #require(JournalSocket(path: path))
            let logger = Logger(label: "test") { _ in JournalLogHandler(isJournal: true, journal: journal) }
            logger.warning(
                "reader gone",
                metadata: ["event": "reader.disconnect", "reader": "magtek-1", "why-not": "a b"])
            #expect(
                entry() == """
                    MESSAGE=reader gone event=reader.disconnect reader=magtek-1 why-not="a b"
                    PRIORITY=4
                    SYSLOG_IDENTIFIER=swiped
                    SWIPED_EVENT=reader.disconnect
                    SWIPED_READER=magtek-1
                    SWIPED_WHY_NOT=a b

                    """)
        }
    }

    /// A device can be made to say anything; it must not make up fields.
    @Test func aDeviceCannotWriteFieldsOfItsOwn() throws {
        try withJournal { path, entry in
            let journal = try #require(JournalSocket(path: path))
            let logger = Logger(label: "test") { _ in JournalLogHandler(isJournal: true, journal: journal) }
            logger.info("x", metadata: ["event": "reader.connect", "model": "A\nPRIORITY=0\nMESSAGE=y"])
            let lines = entry().split(separator: "\n")
            #expect(lines.count == 5)
            #expect(lines.last == "SWIPED_MODEL=A?PRIORITY=0?MESSAGE=y")
        }
    }

    /// As where `systemd-journald.socket` is started anew: the path stays, who listens there is another.
    @Test func findsAJournalThatWasStartedAnew() throws {
        let path = "/tmp/swiped-journal-\(UInt64.random(in: 0...UInt64.max))"
        let journal = try #require(JournalSocket(path: path))
        #expect(!journal.send("too early", priority: 6, []))
        for name in ["first", "second"] {
            try withJournal(at: path) { _, entry in
                #expect(journal.send(name, priority: 6, []))
                #expect(entry().hasPrefix("MESSAGE=\(name)\n"))
            }
            #expect(!journal.send("in between", priority: 6, []))
        }
    }

    @Test func aPathThatIsTooLongIsNoSocket() {
        #expect(JournalSocket(path: "/" + String(repeating: "x", count: 200)) == nil)
    }
}
