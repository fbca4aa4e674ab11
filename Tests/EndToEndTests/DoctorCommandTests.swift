import Foundation
import Testing

/// `swipectl doctor` as a user runs it: what it prints, its status, and that no serial number is in it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DoctorCommandTests {
    private static let swipectl = BuiltProgram.path("swipectl").path

    /// A system of a few files: a clock's worth of /proc, the program, and a reader whose node is not the daemon's.
    private func system(_ files: [String: String] = [:]) throws -> URL {
        let root = FileManager.default.temporaryDirectory.appending(
            path: "root-\(UUID().uuidString.prefix(8))")
        let all = ["/proc/self/status": "Uid:\t1000\n"].merging(files) { _, new in new }
        for (path, text) in all {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return root
    }

    private func doctor(_ root: URL, _ words: [String]) throws -> FinishedProgram {
        defer { try? FileManager.default.removeItem(at: root) }
        return try FinishedProgram([Self.swipectl, "doctor", "--root", root.path] + words)
    }

    @Test func withoutADaemonItSaysWhatIsMissingInOrder() throws {
        let found = try doctor(try system(), ["--socket", "/nonexistent/s"])
        #expect(found.status == 1)
        #expect(found.output.contains("1. swiped is not installed\n   seen: there is no /usr/sbin/swiped"))
        #expect(found.output.contains("\n2. The kernel sees no reader\n"))
        #expect(found.output.contains("       lsusb  # with the reader plugged in and without\n"))
        #expect(found.errors.isEmpty)
    }

    @Test func aProgramGetsOneObject() throws {
        let found = try doctor(
            try system(["/usr/sbin/swiped": ""]), ["--json", "--socket", "/nonexistent/s"])
        #expect(found.status == 1)
        #expect(
            found.output.hasPrefix(
                #"{"healthy":false,"findings":[{"check":"daemon-down","title":"The daemon does not run","fault":true,"subject":"system","evidence":["#
            ))
        #expect(found.output.filter { $0 == "\n" }.count == 1)
    }

    /// Whose section has nothing behind it is the very reader that one asks about.
    @Test(arguments: ["virtual-till", "till"])
    func aReaderWhoseDeviceIsMissingIsOneToAskFor(word: String) throws {
        let sections = ["till", "other"].map { "[virtual-hid \($0)]\nsource = {}/\($0)\n" }.joined()
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n\(sections)")
        let found = try FinishedProgram([Self.swipectl, "doctor", word, "--socket", daemon.socket])
        #expect(found.status == 1, "\(found)")
        #expect(found.output.contains("[virtual-hid till] names"), "\(found)")
        #expect(!found.output.contains("[virtual-hid other]"), "\(found)")
    }

    @Test func aDaemonThatIsInOrderIsOneLine() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        let root = try system(["/etc/swiped/swiped.conf": "[virtual-hid till]\nsource = /x\n"])
        let found = try doctor(root, ["--socket", daemon.socket])
        #expect(
            (found.status, found.output) == (0, "All is in order: swiped answers; 1 reader, 1 ready.\n"),
            "\(found)")
        let named = try doctor(
            try system(["/etc/swiped/swiped.conf": "[virtual-hid till]\nsource = /x\n"]),
            ["virt", "--socket", daemon.socket])
        #expect(named.status == 0)
        #expect(named.output.contains("\nnote Nothing was swiped\n"), "\(named.output)")
        // Of all others nothing is told.
        let nobody = try doctor(try system(), ["nope", "--socket", daemon.socket])
        #expect((nobody.status, nobody.output) == (4, ""))
        #expect(
            nobody.errors == """
                swipectl: no reader 'nope'; attached: virtual-till
                'swipectl doctor' without a reader looks for what keeps one away.

                """)
        // What is wrong is the daemon then, whatever reader is meant.
        let alone = try doctor(try system(), ["nope", "--socket", "/nonexistent/s"])
        #expect(alone.status == 1 && alone.errors.isEmpty && alone.output.contains("swiped is not installed"))
    }

    /// The ids of a reader have its number in them.
    @Test(arguments: [false, true]) func serialNumbersAreShownWhereTheyAreAskedFor(isAsked: Bool) throws {
        let hid = "/sys/class/hidraw/hidraw0/device"
        let root = try system([
            "/usr/sbin/swiped": "", "\(hid)/uevent": "HID_ID=0003:00000801:00000001\nHID_UNIQ=B05A9C4\n",
            "\(hid)/report_descriptor": "\u{5}\u{1}\u{9}\u{6}",
            "/etc/swiped/swiped.conf": "[serial-reader B05A9C4]\ndevice = /dev/x\n",
        ])
        let found = try doctor(root, ["--socket", "/nonexistent/s"] + (isAsked ? ["--serials"] : []))
        #expect(found.output.contains("The reader is in keyboard mode"))
        #expect(found.output.contains("The serial line is not there"))
        #expect(found.output.contains("B05A9C4") == isAsked)
    }

    /// As it stands in a reader's id; what makers put in place of a number is none.
    @Test(arguments: [false, true]) func numbersInOtherForms(isAsked: Bool) throws {
        let (first, second) = ("/sys/class/hidraw/hidraw0/device", "/sys/class/hidraw/hidraw1/device")
        let root = try system([
            "/usr/sbin/swiped": "",
            "\(first)/uevent": "HID_ID=0003:00000801:00000001\nHID_UNIQ=B05 9C4\n",
            "\(first)/report_descriptor": "\u{5}\u{1}\u{9}\u{6}",
            "\(second)/uevent": "HID_ID=0003:00000801:00000001\nHID_UNIQ=000\n",
            "\(second)/report_descriptor": "\u{5}\u{1}\u{9}\u{6}",
            "/etc/swiped/swiped.conf":
                "[serial-reader B05-9C4]\ndevice = /dev/x\n[serial-reader till-000]\ndevice = /dev/y\n",
        ])
        let found = try doctor(root, ["--socket", "/nonexistent/s"] + (isAsked ? ["--serials"] : []))
        #expect(found.output.contains("B05-9C4") == isAsked)
        #expect(found.output.contains("till-000"))
    }

    /// udev makes a name with the number in it for each serial adapter.
    @Test(arguments: [false, true]) func namesOfSerialAdapters(isAsked: Bool) throws {
        let line = "/dev/serial/by-id/usb-FTDI_USB_Serial_A50285BI-if00-port0"
        let root = try system([
            "/usr/sbin/swiped": "", "/etc/swiped/swiped.conf": "[virtual-serial till]\nsource = \(line)\n",
        ])
        let found = try doctor(root, ["--socket", "/nonexistent/s"] + (isAsked ? ["--serials"] : []))
        #expect(found.output.contains("[virtual-serial till] names"))
        #expect(found.output.contains("A50285BI") == isAsked)
    }
}
