import Foundation
import Testing

/// Who is who: names, attachments and removals of HID readers, in the daemon's own words on a client's socket.
@Suite(
    .serialized,
    .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
struct HIDIdentityTests {
    private static let port = "magtek-usb-0000-00-14.0"

    private func event(_ name: String, _ reader: String, _ attachment: Int) -> String {
        #""reader":"\#(reader)","attachment":\#(attachment),"data":{"#
    }

    /// Waits for an event of a reader, and gives its line.
    @discardableResult
    private func expect(_ bench: BenchedDaemon, _ name: String, _ reader: String, _ attachment: Int) throws
        -> String
    {
        while true {
            let line = try bench.client.lines(through: #"{"event":"\#(name)""#).last ?? ""
            if line.contains(event(name, reader, attachment)) { return line }
            // No event of this name may come from anybody else in these tests.
            try #require(line.contains(event(name, reader, attachment)), "\(line)")
        }
    }

    /// Plugs a reader in and waits until it is ready and its driver has asked what it asks first: umockdev 0.17 ends a
    /// program whose device goes in the middle of a request. A property is asked for behind those questions.
    private func plug(_ bench: BenchedDaemon, _ words: String, _ reader: String, _ attachment: Int) throws {
        bench.hub("plug " + words)
        try expect(bench, "ready", reader, attachment)
        let parameters = #"{"reader":"\#(reader)","name":"polling_interval"}"#
        #expect(try bench.ask("property_get", parameters).contains(#""code":"reader.failed""#))
    }

    @Test func readersWithSerialNumbersKeepTheirNamesAtOtherPorts() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\nmasked = *\n")
        for (attachment, slots) in [(1, [1, 2]), (2, [2, 1]), (3, [1, 2])] {
            try plug(bench, "\(slots[0]) 0801:0002 A", "magtek-A", attachment)
            try plug(bench, "\(slots[1]) 0801:0002 B", "magtek-B", attachment)
            // Both orders: the kernel's error before udev's word, and after.
            bench.hub("unplug \(slots[0]) hangup")
            try expect(bench, "disconnect", "magtek-A", attachment)
            bench.hub("unplug \(slots[1]) remove")
            try expect(bench, "disconnect", "magtek-B", attachment)
        }
        #expect(try bench.end() == 0)
    }

    /// Without a serial number a reader is the port that it is at.
    @Test func readersWithoutSerialNumbersAreTheirPorts() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\nmasked = *\n")
        try plug(bench, "1 0801:0002 -", "\(Self.port)-1-input0", 1)
        try plug(bench, "2 0801:0002 00000000", "\(Self.port)-2-input0", 1)
        bench.hub("unplug 1")
        try expect(bench, "disconnect", "\(Self.port)-1-input0", 1)
        try plug(bench, "1 0801:0002 -", "\(Self.port)-1-input0", 2)
        #expect(try bench.end() == 0)
    }

    /// Two that claim one serial number are told apart by their ports, a removal takes the one that was pulled out, and each
    /// finds its name again, whichever comes first.
    @Test func readersThatLieAboutTheirNumber() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\nmasked = *\n")
        let names = ["magtek-A", "magtek-A-usb-0000-00-14.0-2-input0"]
        for (attachment, order) in [(1, [1, 2]), (2, [2, 1]), (3, [1, 2])] {
            for slot in order { try plug(bench, "\(slot) 0801:0002 A", names[slot - 1], attachment) }
            bench.hub("unplug 1")
            try expect(bench, "disconnect", names[0], attachment)
            bench.hub("report 2 " + String(repeating: "00", count: 337))
            try expect(bench, "swipe", names[1], attachment)
            bench.hub("unplug 2")
            try expect(bench, "disconnect", names[1], attachment)
        }
        #expect(try bench.end() == 0)
    }

    @Test(arguments: [
        (
            "0801:0001", "magtek-K",
            "set its interface type to HID (property 0x10 to 0: feature report 01 02 10 00"
        ),
        ("0acd:2030", "idtech-K", "set its interface to USB HID with the maker's configuration program"),
    ])
    func keyboardsAreNamedAndNeverOpened(ids: String, reader: String, remedy: String) throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\nmasked = *\n")
        bench.hub("plug 1 \(ids) K")
        let line = try bench.client.lines(through: #"{"event":"activate""#).last ?? ""
        #expect(line.contains(event("activate", reader, 1) + #""result":"failed""#))
        #expect(line.contains(remedy))
        let readers = try bench.ask("readers")
        #expect(readers.contains(#""id":"\#(reader)""#) && readers.contains(#""state":"unsupported""#))
        #expect(readers.contains(remedy))
        // A reader that is used is opened within this time; this one is not.
        try plug(bench, "2 0801:0002 A", "magtek-A", 1)
        #expect(bench.daemon.said.contains("bench: opened 2"))
        #expect(!bench.daemon.said.contains("bench: opened 1"))
        bench.hub("unplug 1")
        try expect(bench, "disconnect", reader, 1)
        #expect(try bench.end() == 0)
    }

    /// udev's words were lost, as in a suspend: a look at everything finds out.
    @Test func aRescanFindsWhatWasMissed() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\nmasked = *\n")
        try plug(bench, "1 0801:0002 A", "magtek-A", 1)
        bench.hub("plug 2 0acd:2030 K")
        try expect(bench, "activate", "idtech-K", 1)
        bench.hub("lose 2")
        // Nothing tells of it: what is never opened cannot hang up.
        #expect(try bench.ask("readers").contains("idtech-K"))
        // What makes the daemon look anew by itself is a suspend; another virtual reader does as well.
        try bench.daemon.configure(
            "[access]\nadmin = *\nmasked = *\n[virtual-hid v]\nsource = {}/v\n")
        _ = try bench.ask("reload")
        try expect(bench, "disconnect", "idtech-K", 1)
        let readers = try bench.ask("readers")
        #expect(!readers.contains("idtech-K") && readers.contains("magtek-A"))
        #expect(try bench.end() == 0)
    }

    /// udev's word of a removal is late, and another reader has got the number of the node meanwhile: the one that went must not
    /// be opened as if it were back, or each swipe of the other would come under both names.
    @Test func anotherReaderAtTheSameNode() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\nmasked = *\n")
        try plug(bench, "1 0801:0002 A", "magtek-A", 1)
        bench.hub("lose 1")
        try expect(bench, "disconnect", "magtek-A", 1)
        try plug(bench, "2 0801:0002 B", "magtek-B", 1)
        #expect(try bench.ask("readers").contains("magtek-B"))
        // It is looked for at its node again, and told not to be there.
        let line = try expect(bench, "activate", "magtek-A", 2)
        #expect(line.contains(#""result":"failed""#))
        bench.hub("report 2 " + String(repeating: "00", count: 337))
        try expect(bench, "swipe", "magtek-B", 1)
        bench.hub("unplug 2")
        try expect(bench, "disconnect", "magtek-B", 1)
        #expect(try bench.end() == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can start a program as somebody with fewer rights"))
    func aRefusedPermissionIsTold() throws {
        let old = umask(0)
        defer { umask(old) }
        let bench = try BenchedDaemon("[access]\nmasked = *\n", asNobody: true)
        bench.hub("plug 1 0801:0002 A")
        let line = try bench.client.lines(through: #"{"event":"activate""#).last ?? ""
        for word in ["/dev/hidraw0", "70-swiped.rules", "group swiped", #""result":"failed""#] {
            #expect(line.contains(word), "\(word)")
        }
        #expect(try bench.ask("readers").contains(#""state":"failed""#))
        #expect(try bench.end() == 0)
    }

    /// Twice as many plugs; docs/devices.md has the figures of a thousand.
    private static let cycles =
        ProcessInfo.processInfo.environment["SWIPED_PLUG_CYCLES"].flatMap { Int($0) } ?? 60

    /// Many plugs, node numbers reused and readers swapped: each told once and in order, and nothing kept.
    @Test(.timeLimit(.minutes(9))) func manyPlugs() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\nmasked = *\n[log]\nlevel = warning\n")
        let process = try #require(try bench.processID())
        var descriptors: Set<Int> = []
        var memory = 0
        let warm = Self.cycles / 5
        for cycle in 1...Self.cycles {
            let (first, second) = cycle % 2 == 0 ? ("A", "B") : ("B", "A")
            try plug(bench, "1 0801:0002 \(first)", "magtek-\(first)", cycle)
            try plug(bench, "2 0801:0002 \(second)", "magtek-\(second)", cycle)
            bench.hub("unplug \(1 + cycle % 2) hangup")
            try expect(bench, "disconnect", "magtek-\(cycle % 2 == 0 ? first : second)", cycle)
            bench.hub("unplug \(2 - cycle % 2) remove")
            try expect(bench, "disconnect", "magtek-\(cycle % 2 == 0 ? second : first)", cycle)
            if cycle == warm { memory = try Self.resident(process) }
            // One of them may just be being closed.
            if cycle > warm, cycle % 12 == 0 { descriptors.insert(try Self.descriptors(process)) }
        }
        #expect(#"[]"# == (try bench.ask("readers")).replacing(/.*"readers":(\[.*\]).*/) { $0.1 })
        #expect((descriptors.max() ?? 0) - (descriptors.min() ?? 0) <= 4, "\(descriptors.sorted())")
        let grown = try Self.resident(process) - memory
        #expect(grown < 2_048, "KiB more after further cycles")
        print("\(2 * Self.cycles) plugs, +\(grown) KiB, \(descriptors.sorted()) descriptors")
        #expect(try bench.end() == 0)
    }

    private static func descriptors(_ process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// In KiB.
    private static func resident(_ process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }
}
