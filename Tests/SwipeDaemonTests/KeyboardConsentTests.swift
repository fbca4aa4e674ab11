import Foundation
import KeyboardReaders
import ReaderKit
import Testing

@testable import SwipeDaemon

/// The script that udev asks about a keyboard says what the daemon makes of the same lines.
@Suite struct KeyboardConsentTests {
    private static let script =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/udev/keyboard-consent"

    /// A keyboard as sysfs shows it.
    struct Keyboard: Sendable {
        var ids = "1209:0002"
        var uniq = ""
        var port = "usb-0000:00:14.0-1/input0"
        /// That of the USB device, which holds where the keyboard itself has none.
        var usbSerial = ""
        /// As the daemon reads it.
        var serial: String?

        fileprivate func device(node: String) -> DeviceIdentity {
            let numbers = ids.split(separator: ":").map { UInt16($0, radix: 16) }
            return DeviceIdentity(
                readerID: "x", bus: .usb, vendorID: numbers[0], productID: numbers[1], serial: serial,
                port: port, node: node, syspath: "/sys/x")
        }

        /// Its places in sysfs: a HID device, its hidraw node, its input and its event device.
        fileprivate func places(in folder: URL) throws -> [String] {
            let (usb, words) = (folder.appending(path: "usb1/1-1"), ids.split(separator: ":"))
            let hid = usb.appending(path: "1-1:1.0/0003:\(ids.uppercased()).001F")
            let input = hid.appending(path: "input/input7")
            let files: [(URL, String)] = [
                (usb.appending(path: "idVendor"), "1209"), (usb.appending(path: "serial"), usbSerial),
                (
                    hid.appending(path: "uevent"),
                    "DRIVER=hid-generic\nHID_ID=0003:0000\(words[0].uppercased()):0000\(words[1].uppercased())\n"
                        + "HID_NAME=A reader\nHID_PHYS=\(port)\nHID_UNIQ=\(uniq)"
                ),
                (input.appending(path: "id/bustype"), "0003"),
                (input.appending(path: "id/vendor"), "\(words[0])"),
                (input.appending(path: "id/product"), "\(words[1])"),
                (input.appending(path: "uniq"), uniq), (input.appending(path: "phys"), port),
            ]
            for (file, text) in files {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data("\(text)\n".utf8).write(to: file)
            }
            return [
                hid.path, hid.path + "/hidraw/hidraw3", input.path, input.path + "/event3",
            ]
        }
    }

    /// What is silent is inhibited, and what types again is let go.
    @Test(arguments: [("silent", "0", "1"), ("type", "1", "0")])
    func theRuleSetsBoth(answer: String, before: String, after: String) throws {
        let rules = Self.script.replacing("keyboard-consent", with: "72-swiped-keyboards.rules")
        let lines = try String(contentsOfFile: rules, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("KERNEL==\"input*\"") && $0.contains("RESULT==\"\(answer)\"")
        }
        let line = try #require(lines.first)
        #expect(lines.count == 1 && line.contains("ATTR{inhibited}==\"\(before)\","))
        #expect(line.hasSuffix(" ATTR{inhibited}=\"\(after)\""))
    }

    /// What the script says of all places of a keyboard.
    ///
    /// - Parameter program: what it asks whether the whole configuration is good.
    private func told(_ keyboard: Keyboard, configuration folder: String, program: String = "/bin/true")
        throws -> Set<String>
    {
        let tree = FileManager.default.temporaryDirectory.appending(path: "consent-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: tree) }
        return Set(try keyboard.places(in: tree).map { try answer(of: [$0, folder, program]) })
    }

    private func answer(of arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: Self.script)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        // Silence is a failure, which udev takes for no.
        #expect((process.terminationStatus == 0) == (text != ""))
        return text.trimmingCharacters(in: .newlines)
    }

    /// The built daemon, beside the tests.
    private static var daemon: String {
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let beside = folder.appending(path: "swiped").path
        return FileManager.default.isExecutableFile(atPath: beside)
            ? beside : folder.deletingLastPathComponent().appending(path: "swiped").path
    }

    /// A fault in another section: the daemon refuses all of it, and so nothing is silenced. What types is taken by nobody then, and
    /// what was silent types again.
    @Test(arguments: ["", "[server]\nclients = many\n", "[bogus]\n", "[virtual-keyboard x]\nlayout = us\n"])
    func aRefusedConfigurationSilencesNothing(fault: String) async throws {
        let silent = Self.section + "on_stop = silent\nforce = yes\n"
        try await withConfiguration(silent + fault) { path in
            let folder = (path as NSString).deletingLastPathComponent
            #expect(await taken(Keyboard(), configuration: path) == (fault.isEmpty ? "silent" : ""))
            let told = try told(Keyboard(), configuration: folder, program: Self.daemon)
            #expect(told == [fault.isEmpty ? "silent" : ""])
            for program in ["/bin/false", "/nowhere/swiped"] {
                let told = try self.told(Keyboard(), configuration: folder, program: program)
                #expect(told == [""])
            }
        }
        try await withConfiguration(Self.section + fault) { path in
            let folder = (path as NSString).deletingLastPathComponent
            let told = try told(Keyboard(), configuration: folder, program: "/bin/false")
            #expect(told == ["type"])
        }
    }

    /// A keyboard on PS/2 has no reports by which it could be read, so that it would be dead: it is left as it is.
    @Test(arguments: [("", "type"), ("on_stop = silent\nforce = yes\n", "")])
    func whatHasNoReportsIsNotSilenced(lines: String, answer: String) async throws {
        let tree = FileManager.default.temporaryDirectory.appending(path: "consent-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: tree) }
        let input = tree.appending(path: "platform/i8042/serio0/input/input3")
        try FileManager.default.createDirectory(
            at: input.appending(path: "id"), withIntermediateDirectories: true)
        for (file, text) in [("bustype", "0011"), ("vendor", "0001"), ("product", "0001")] {
            try Data("\(text)\n".utf8).write(to: input.appending(path: "id/\(file)"))
        }
        try await withConfiguration("[keyboard-reader till]\nkeyboard = 0001:0001\n" + lines) { path in
            let folder = (path as NSString).deletingLastPathComponent
            for place in [input.path, input.path + "/event3"] {
                let told = try self.answer(of: [place, folder, "/bin/true"])
                #expect(told == answer)
            }
        }
    }

    /// What the daemon makes of it: nothing where it refuses the configuration.
    private func taken(_ keyboard: Keyboard, configuration path: String) async -> String {
        guard let configuration = try? ConfigurationLoader.load(path: path, isRequired: true) else {
            return ""
        }
        let nodes = ["/dev/input/event3", "/dev/hidraw3"]
        let terms = nodes.map { configuration.keyboardTerms(of: keyboard.device(node: $0)) }
        #expect(terms[0] == terms[1])
        guard configuration.isHIDEnabled, let terms = terms[0] else { return "" }
        return terms.isSilent ? "silent" : "type"
    }

    private func expectBoth(_ answer: String, _ keyboard: Keyboard, _ text: String, _ part: String = "")
        async throws
    {
        try await withConfiguration(text, dropIns: part.isEmpty ? [:] : ["a.conf": part]) { path in
            let folder = (path as NSString).deletingLastPathComponent
            let told = try told(keyboard, configuration: folder)
            let taken = await taken(keyboard, configuration: path)
            #expect(told == [answer], "the script: \(text)\(part)")
            #expect(taken == answer, "the daemon: \(text)\(part)")
        }
    }

    @Test func knownReaders() async throws {
        for entry in KnownKeyboards.all {
            let keyboard = Keyboard(ids: "\(entry.vendorID.usbNumber()):\(entry.productID.usbNumber())")
            try await expectBoth(
                entry.isCertain ? "type" : "", keyboard, "[hid]\nkeyboard_readers = known\n")
            try await expectBoth("", keyboard, "[hid]\nkeyboard_readers = none\n# keyboard_readers = known\n")
        }
        let known = Keyboard(ids: "c216:0180")
        try await expectBoth(
            "", known, "[hid]\nkeyboard_readers = known\n", "[hid]\nkeyboard_readers = none\n")
    }

    private static let section = "[keyboard-reader till]\n keyboard=1209:0002 \n"

    @Test(arguments: ["1209:0002", "1209:0003", "0002:1209"]) func sections(ids: String) async throws {
        let answer = ids == "1209:0002" ? "type" : ""
        try await expectBoth(answer, Keyboard(ids: ids), Self.section)
        try await expectBoth(answer, Keyboard(ids: ids), "[hid]\n", Self.section)
        try await expectBoth(answer, Keyboard(ids: ids), "[keyboard-reader till]\nkeyboard = 1209:2")
        try await expectBoth("", Keyboard(ids: ids), "[reader till]\nport = 1209:0002\n")
    }

    /// Whoever types on what is silent types to nobody: the daemon has to take it, or nobody may.
    @Test(arguments: [
        ("on_stop = silent\nforce = yes\n", "", "silent"), ("on_stop = silent\n", "", ""),
        ("on_stop = silent\nforce = no\n", "", ""), ("force = yes\n", "", "type"),
        ("on_stop = type\n", "", "type"), ("on_stop = Silent\nforce = yes\n", "", ""),
        ("on_stop = silent\nforce = yes\n", "[hid]\nenabled = no\n", ""), ("", "[hid]\nenabled = no\n", ""),
        ("on_stop = silent\nforce = yes\n", "[hid]\nenabled = yes\n", "silent"),
        ("", "[keyboard-reader till]\non_stop = silent\nforce = yes\n", "silent"),
        ("force = yes\n", "[keyboard-reader till]\non_stop = silent\n", "silent"),
        ("on_stop = silent\nforce = yes\n", "[keyboard-reader till]\non_stop = type\n", "type"),
        ("on_stop = silent\nforce = yes\n", "[keyboard-reader till]\nforce = no\n", ""),
    ])
    func silentOnlyWhereTheDaemonTakesIt(lines: String, part: String, answer: String) async throws {
        try await expectBoth(answer, Keyboard(), Self.section + lines, part)
    }

    /// Of several with the same ids, those that are named and no other.
    @Test(arguments: [
        ("serial = A1\n", true), ("serial = A2\n", false), ("serial = a1\n", false),
        ("port = usb-0000:00:14.0-1/input0\n", true), ("port = usb-0000:00:14.0-1\n", true),
        ("port = usb-0000:00:14.0\n", false), ("port = usb-0000:00:14.0-2/input0\n", false),
        ("serial = A1\nport = usb-0000:00:14.0-1\n", true),
        ("serial = A1\nport = usb-0000:00:14.0-2\n", false), ("serial =\nport =\n", true),
    ])
    func numberAndPlace(lines: String, isMeant: Bool) async throws {
        let keyboards = [
            Keyboard(uniq: "A1", serial: "A1"), Keyboard(uniq: "000", usbSerial: "A1", serial: "A1"),
        ]
        for keyboard in keyboards {
            try await expectBoth(isMeant ? "type" : "", keyboard, Self.section + lines)
            try await expectBoth(
                isMeant ? "silent" : "", keyboard, Self.section + lines + "on_stop = silent\nforce = yes\n")
        }
    }

    /// Zeros are no number. A number that looks like another one is not that.
    @Test func numbersThatAreNone() async throws {
        try await expectBoth("", Keyboard(uniq: "000"), Self.section + "serial = 000\n")
        try await expectBoth("", Keyboard(uniq: "0123", serial: "0123"), Self.section + "serial = 123\n")
        try await expectBoth(
            "type", Keyboard(uniq: "a\\tb", serial: "a\\tb"), Self.section + "serial = a\\tb\n")
    }

    /// What an editor puts before the first line, and blanks, mean nothing to either.
    @Test(arguments: [
        "\u{FEFF}[keyboard-reader till]\nkeyboard = 1209:0002\n",
        "[keyboard-reader  till]\nkeyboard = 1209:0002\n",
        "[ keyboard-reader\ttill ]\nkeyboard\t=1209:0002\n",
        "[keyboard-reader till]\r\nkeyboard = 1209:0002\r\n",
    ])
    func waysToWriteIt(text: String) async throws {
        try await expectBoth("type", Keyboard(), text)
        let ending = text.unicodeScalars.contains("\r") ? "\r\n" : "\n"
        let silent = text + "on_stop = silent" + ending + "force = yes"
        try await expectBoth("silent", Keyboard(), silent + ending)
    }

    /// In a file of two, the second names the section with another number of blanks.
    @Test func oneSectionInTwoFiles() async throws {
        try await expectBoth(
            "silent", Keyboard(), Self.section,
            "\u{FEFF}[keyboard-reader  till]\non_stop = silent\nforce = yes\n")
    }

    /// The first section that fits holds, as for the daemon.
    @Test func severalSections() async throws {
        let silent = "[keyboard-reader a]\nkeyboard = 1209:0002\nserial = A1\non_stop = silent\nforce = yes\n"
        try await expectBoth("silent", Keyboard(uniq: "A1", serial: "A1"), silent + Self.section)
        try await expectBoth("type", Keyboard(uniq: "A2", serial: "A2"), silent + Self.section)
        let first = "[keyboard-reader z]\nkeyboard = 1209:0002\nport = usb-0000:00:14.0-1\n"
        try await expectBoth("type", Keyboard(uniq: "A1", serial: "A1"), first + silent)
    }
}
