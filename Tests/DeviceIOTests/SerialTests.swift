import FoundationEssentials
import Glibc
import ReaderKit
import TestSupport
import Testing

@testable import DeviceIO

/// Serial lines: over pseudo-terminals, through the kernel's real line discipline.
@Suite(.timeLimit(.minutes(1))) struct SerialTests {
    private static func line(_ path: String, frame: SerialLineConfiguration.Frame = .eightNone)
        -> SerialLineConfiguration
    {
        SerialLineConfiguration(name: "till", path: path, frame: frame)
    }

    /// Everything up to that many bytes, in however many pieces.
    private static func receive(_ count: Int, from transport: SerialTransport) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try await transport.receive().bytes }
        return bytes
    }

    /// Every byte comes as it is: nothing is translated, echoed or taken for a command of the terminal's.
    @Test func bytesComeAsTheyAreBothWays() async throws {
        let terminal = try PseudoTerminal()
        let transport = try await SerialTransport.open(Self.line(terminal.path))
        let all = (0...255).map { UInt8($0) }
        terminal.send(all)
        #expect(try await Self.receive(256, from: transport) == all)
        try await transport.send(.write(all))
        #expect(terminal.heard(256) == all)
        await transport.close()
    }

    @Test func aCommandOfAnotherKindIsRefused() async throws {
        let terminal = try PseudoTerminal()
        let transport = try await SerialTransport.open(Self.line(terminal.path))
        await #expect(throws: DeviceError.refused) { try await transport.send(.output([1])) }
        await transport.close()
    }

    @Test func whatCameBeforeAHangUpIsHeard() async throws {
        let terminal = try PseudoTerminal()
        let transport = try await SerialTransport.open(Self.line(terminal.path))
        terminal.send(Array("%HELLO?\r".utf8))
        #expect(try await Self.receive(8, from: transport) == Array("%HELLO?\r".utf8))
        terminal.hangUp()
        await #expect(throws: DeviceError.gone) { try await transport.receive() }
        await transport.close()
    }

    @Test func theLastWordsAreSaidWhenItIsClosed() async throws {
        let terminal = try PseudoTerminal()
        let transport = try await SerialTransport.open(
            Self.line(terminal.path), lastWords: [.write([0x1B, 0x61]), .output([9]), .write([0x1B, 0x81])])
        await transport.close()
        #expect(terminal.heard(4) == [0x1B, 0x61, 0x1B, 0x81])
        await #expect(throws: DeviceError.closed) { try await transport.receive() }
    }

    /// What a device says once nobody listens is not sent back to it, which an encoder might take for a command.
    @Test func aLateAnswerIsNotEchoed() async throws {
        let terminal = try PseudoTerminal()
        let other = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { Glibc.close(other) }
        let transport = try await SerialTransport.open(
            Self.line(terminal.path), lastWords: [.write([0x1B, 0x61])])
        await transport.close()
        #expect(terminal.heard(2) == [0x1B, 0x61])
        terminal.send([0x1B, 0x79])
        #expect(terminal.next(milliseconds: 200) == [])
    }

    /// Another program holds the line: it is named, and the line is free once that has ended.
    @Test func aLineThatSomebodyElseHas() async throws {
        let terminal = try PseudoTerminal()
        let first = try await SerialTransport.open(Self.line(terminal.path))
        await #expect {
            _ = try await SerialTransport.open(Self.line(terminal.path))
        } throws: { error in
            if case .busy(let detail)? = error as? DeviceError {
                detail == "this daemon (for another section) has it; name another line in one of the two"
            } else {
                false
            }
        }
        await first.close()
        let second = try await SerialTransport.open(Self.line(terminal.path))
        await second.close()
    }

    /// Who has a line: by its open files where they may be seen, by a modem program's lock file where not.
    @Test func theProgramThatHasALineIsNamed() throws {
        let terminal = try PseudoTerminal()
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func name() -> String? { LineHolder.name(of: terminal.path, locks: folder) }
        #expect(name() == nil)
        let lock = folder + "/LCK..\(terminal.path.split(separator: "/").last ?? "")"
        try "      1\n".write(toFile: lock, atomically: false, encoding: .utf8)
        #expect(name()?.contains("process 1") == true)
        // It has ended, and its file stayed; or the file is none.
        for stale in ["\(Int32.max)\n", "-1\n", "minicom\n", ""] {
            try stale.write(toFile: lock, atomically: false, encoding: .utf8)
            #expect(name() == nil, "\(stale)")
        }
        let file = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        #expect(name()?.contains("this daemon") == true)
        // Whoever has only just tried it is not the one that has it.
        #expect(LineHolder.name(of: terminal.path, besides: file, locks: folder) == nil)
        close(file)
        #expect(name() == nil)
    }

    /// Anybody may put what he likes into the folder of lock files: nothing there holds the daemon up, or speaks to a terminal.
    @Test func aLockFileThatIsNone() throws {
        let terminal = try PseudoTerminal()
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lock = folder + "/LCK..\(terminal.path.split(separator: "/").last ?? "")"
        mkfifo(lock, 0o600)
        #expect(LineHolder.name(of: terminal.path, locks: folder) == nil)
        unlink(lock)
        symlink("/proc/self/stat", lock)
        #expect(LineHolder.name(of: terminal.path, locks: folder) == nil)
    }

    /// What a tty may say after it was set, bit by bit: no parity but the configured one, and nothing else for it.
    @Test(arguments: SerialLineConfiguration.Frame.allCases) func oddParityIsNotEven(
        frame: SerialLineConfiguration.Frame
    ) throws {
        var before = termios()
        before.c_cflag = tcflag_t(PARENB | PARODD | CS7 | CSTOPB) | 0o10_000_000_000
        before.c_iflag = tcflag_t(IGNPAR | INPCK | ICRNL)
        let settings = try #require(SerialPort.settings(Self.line("/dev/ttyS0", frame: frame), before))
        #expect(settings.c_cflag & (tcflag_t(PARODD | CSTOPB) | 0o10_000_000_000) == 0)
        #expect((settings.c_cflag & tcflag_t(PARENB) != 0) == (frame == .sevenEven))
        #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(frame == .sevenEven ? CS7 : CS8))
        #expect(settings.c_iflag & tcflag_t(IGNPAR | ICRNL) == 0)
        #expect((settings.c_iflag & tcflag_t(INPCK) != 0) == (frame == .sevenEven))
        #expect(SerialPort.isAlike(settings, settings))
        for bit in [PARENB, PARODD, CSTOPB, CSIZE] {
            var other = settings
            other.c_cflag ^= tcflag_t(bit)
            #expect(!SerialPort.isAlike(settings, other))
        }
        var slow = settings
        cfsetospeed(&slow, speed_t(B1200))
        #expect(!SerialPort.isAlike(settings, slow))
    }

    /// The kernel does not hold TIOCEXCL against root: it is asked.
    @Test func anotherProgramsLock() async throws {
        let terminal = try PseudoTerminal()
        let other = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { Glibc.close(other) }
        #expect(ioctl(other, UInt(TIOCEXCL)) == 0)
        await #expect {
            _ = try await SerialTransport.open(Self.line(terminal.path))
        } throws: { error in
            if case .busy? = error as? DeviceError { true } else { false }
        }
        // Still the other's.
        var isExclusive: Int32 = 0
        #expect(ioctl(other, 0x8004_5440, &isExclusive) == 0 && isExclusive != 0)
    }

    /// What a device sent before its name went is heard, then that it is gone; what says it last hears the last words.
    @Test func whatCameBeforeItsNameWentIsHeard() async throws {
        let terminal = try PseudoTerminal()
        let transport = try await SerialTransport.open(
            Self.line(terminal.path), lastWords: [.write([0x1B, 0x61])])
        let bytes = Array(";4111111111111111=2912?\r".utf8)
        terminal.send(bytes)
        await transport.unplugged()
        #expect(try await Self.receive(bytes.count, from: transport) == bytes)
        await #expect(throws: DeviceError.gone) { try await transport.receive() }
        #expect(terminal.heard(2) == [0x1B, 0x61])
        await transport.close()
    }

    /// One that sends without end is not gone, and is not waited for.
    @Test func aLineThatGoesOnWithoutItsName() async throws {
        let terminal = try PseudoTerminal()
        let transport = try await SerialTransport.open(Self.line(terminal.path))
        terminal.send(Array(repeating: 0x41, count: 2000))
        let reading = Task { () -> Int in
            var count = 0
            while let bytes = try? await transport.receive() { count += bytes.bytes.count }
            return count
        }
        await transport.unplugged()
        #expect(await reading.value == 2000)
    }

    @Test func whatIsNoLine() async {
        await #expect {
            _ = try await SerialTransport.open(Self.line("/dev/null"))
        } throws: { error in
            if case .unsupported? = error as? DeviceError { true } else { false }
        }
        await #expect(throws: DeviceError.gone) { try await SerialTransport.open(Self.line("/dev/ttyNone")) }
    }

    /// The settings are put back, so that whoever comes next finds the line as it was.
    @Test(arguments: SerialLineConfiguration.Frame.allCases) func theSettingsAreTheConfiguredAndPutBack(
        frame: SerialLineConfiguration.Frame
    ) async throws {
        let terminal = try PseudoTerminal()
        let file = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { Glibc.close(file) }
        var before = termios()
        tcgetattr(file, &before)
        var configured = Self.line(terminal.path, frame: frame)
        configured.speed = 19_200
        let transport = try await SerialTransport.open(configured)
        var during = termios()
        tcgetattr(file, &during)
        #expect(cfgetospeed(&during) == speed_t(B19200))
        #expect(during.c_lflag & tcflag_t(ICANON | ECHO) == 0)
        // A pseudo-terminal takes neither seven bits nor parity bits; that parity is looked at it takes.
        #expect((during.c_iflag & tcflag_t(INPCK) != 0) == (frame == .sevenEven))
        await transport.close()
        var after = termios()
        tcgetattr(file, &after)
        #expect(after.c_lflag == before.c_lflag & ~tcflag_t(ECHO | ECHONL) && after.c_iflag == before.c_iflag)
        #expect(cfgetospeed(&after) == cfgetospeed(&before))
    }

    private static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "serial-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// A by-id name appears, comes to lead to another node, and goes: one reader each, none left.
    @Test func aNameThatComesChangesAndGoes() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (first, second) = (try PseudoTerminal(), try PseudoTerminal())
        let line = Self.line(folder + "/by-id")
        let monitor = try HotplugMonitor([], serialLines: [line])
        defer { monitor.close() }
        #expect(try await monitor.next() == .scanned)
        symlink(first.path, line.path)
        #expect(try await monitor.next() == .added(line.identity))
        // As udev replaces a link: a new one is put over the old one.
        symlink(second.path, line.path + "~")
        rename(line.path + "~", line.path)
        #expect(try await monitor.next() == .removed(syspath: line.identity.syspath))
        #expect(try await monitor.next() == .added(line.identity))
        unlink(line.path)
        #expect(try await monitor.next() == .removed(syspath: line.identity.syspath))
    }

    /// Only a character device is a line.
    @Test func aFileIsNoLine() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (file, line) = (Self.line(folder + "/file"), Self.line(folder + "/line"))
        try "".write(toFile: file.path, atomically: false, encoding: .utf8)
        let terminal = try PseudoTerminal()
        symlink(terminal.path, line.path)
        let monitor = try HotplugMonitor([], serialLines: [file, line])
        defer { monitor.close() }
        #expect(try await monitor.next() == .added(line.identity))
        #expect(try await monitor.next() == .scanned)
        monitor.setSerialLines([])
        #expect(try await monitor.next() == .removed(syspath: line.identity.syspath))
    }
}
