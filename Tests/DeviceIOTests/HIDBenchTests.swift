import Glibc
import Testing

/// Unmodified libudev and hidapi, against readers that umockdev shows them. The program is `device-probe`.
@Suite(
    "HID devices through libudev and hidapi",
    .enabled(if: HIDBench.obstacle == nil, Comment(rawValue: HIDBench.obstacle ?? "")),
    .timeLimit(.minutes(3)), .serialized)
struct HIDBenchTests {
    private static let sureSwipe = "0801:0002"
    private static let reportLength = 337

    private func swipe(_ number: UInt8) -> String {
        let digits = number < 16 ? "0" + String(number, radix: 16) : String(number, radix: 16)
        return String(repeating: digits, count: Self.reportLength)
    }

    @Test(
        "a reader that is there at the start, or comes later: opened, asked, read, gone, back under its name")
    func plugSwipeUnplugReplug() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"))
        try await bench.expect("scanned")
        for round in UInt8(0)..<3 {
            bench.send("plug 1 \(Self.sureSwipe) B0A1")
            try await bench.expect(
                "added B0A1 /dev/hidraw0", "opened B0A1", "bench: feature 1 00000100")
            for number in 0..<UInt8(5) { bench.send("report 1 " + swipe(round &* 16 &+ number)) }
            for number in 0..<UInt8(5) {
                try await bench.expect("report B0A1 " + swipe(round &* 16 &+ number))
            }
            bench.send("unplug 1 " + (round % 2 == 0 ? "hangup" : "remove"))
            try await bench.expect("ended B0A1 gone", "removed B0A1")
        }
        bench.end()
    }

    @Test("the answer to a feature request comes back as a report")
    func feature() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"))
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        try await bench.expect("feature A ")
        bench.end()
    }

    @Test("two readers are told apart, by serial number or by port")
    func twoReaders() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"))
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        bench.send("plug 2 \(Self.sureSwipe) -")
        let second = "usb-0000-00-14.0-2-input0"
        // umockdev ends a program whose device goes in the middle of an ioctl: the answers are awaited.
        try await bench.expect("opened A", "opened \(second)", "feature A ", "feature \(second) ")
        bench.send("report 2 " + swipe(2))
        bench.send("report 1 " + swipe(1))
        try await bench.expect("report A " + swipe(1), "report \(second) " + swipe(2))
        bench.send("unplug 1")
        try await bench.expect("removed A")
        bench.send("report 2 " + swipe(3))
        try await bench.expect("report \(second) " + swipe(3))
        bench.end()
    }

    @Test("a mute reader holds up neither its own reports nor another reader, nor its unplug")
    func muteReader() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"), options: ["--answer", "mute"])
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        bench.send("plug 2 \(Self.sureSwipe) B")
        try await bench.expect("opened A", "opened B")
        bench.send("report 1 " + swipe(1))
        bench.send("report 2 " + swipe(2))
        try await bench.expect("report A " + swipe(1), "report B " + swipe(2))
        bench.send("unplug 1")
        try await bench.expect("ended A gone", "command A gone", "removed A")
        // Were the kernel's wait of 5 s waited for, B's would have ended first, and been passed over.
        try await bench.expect("command B timedOut")
        bench.send("report 2 " + swipe(3))
        try await bench.expect("report B " + swipe(3))
        bench.end()
    }

    @Test("a stalled command is refused, and the reader goes on")
    func stall() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"), options: ["--answer", "stall"])
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        try await bench.expect("opened A", "command A refused")
        bench.send("report 1 " + swipe(1))
        try await bench.expect("report A " + swipe(1))
        bench.end()
    }

    @Test(
        "a refused permission names the rule and the group",
        .enabled(if: geteuid() == 0, "only root can start a program as somebody with fewer rights"))
    func permission() async throws {
        let folder = try SoundSource()
        let probe = try folder.copy(HIDBench.product("device-probe"))
        let bench = try HIDBench(probe, options: ["--as-nobody"])
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        try await bench.expect("added A /dev/hidraw0")
        let refusal = try await bench.firstLine(startingWith: "refused A permissionDenied")
        for word in ["/dev/hidraw0", "70-swiped.rules", "group swiped"] { #expect(refusal.contains(word)) }
        bench.end()
    }

    /// More than the kernel's 63 wait in the daemon: nothing is lost or overtaken. The bench's node does not keep apart what
    /// lies in the kernel, so bytes are compared.
    @Test("a long queue: reports that nobody takes wait, in their order")
    func longQueue() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"), ["--quiet", "--slow"])
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        try await bench.expect("opened A")
        let reports = (UInt8(1)...70).map(swipe)
        for report in reports {
            bench.send("report 1 " + report)
            try await bench.expect("bench: done report")
        }
        bench.send("signal 1 10")
        let wanted = reports.joined()
        var taken = ""
        while taken.utf8.count < wanted.utf8.count {
            taken += try await bench.firstLine(startingWith: "report A ").dropFirst("report A ".count)
        }
        #expect(taken == wanted)
        bench.send("report 1 " + swipe(99))
        try await bench.expect("report A " + swipe(99))
        bench.end()
    }

    /// The bench's node joins reports that lie unread, so bytes are compared, and how many are lost is not for sure, only that
    /// it is said.
    @Test("a full queue: what is lost is said, what was before it is taken whole")
    func fullQueue() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"), ["--quiet", "--slow"])
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        try await bench.expect("opened A")
        let sent = 400
        for number in 0..<sent {
            bench.send("report 1 " + swipe(UInt8(number % 251)))
            try await bench.expect("bench: done report")
        }
        bench.send("signal 1 10")
        let lost = try #require(
            Int(try await bench.firstLine(startingWith: "lost A ").dropFirst("lost A ".count)))
        #expect((1..<sent).contains(lost))
        var taken = ""
        for _ in 0..<64 {
            taken += try await bench.firstLine(startingWith: "report A ").dropFirst("report A ".count)
        }
        #expect((0..<sent).map { swipe(UInt8($0 % 251)) }.joined().hasPrefix(taken))
        bench.end()
    }

    @Test("a removal and an arrival whose messages were lost, as in a suspend, are found by looking anew")
    func rescan() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"), ["--quiet"])
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        bench.send("plug 2 \(Self.sureSwipe) B")
        try await bench.expect("opened A", "opened B")
        bench.send("lose 1")
        try await bench.expect("ended A gone")
        bench.send("signal 2 12")
        try await bench.expect("removed A", "scanned")
        // B was told of once, and is still read.
        bench.send("report 2 " + swipe(5))
        try await bench.expect("report B " + swipe(5))
        bench.send("plug 1 \(Self.sureSwipe) A")
        #expect(try await bench.firstLine(startingWith: "added") == "added A /dev/hidraw0")
        bench.end()
    }

    @Test(
        "a removal that udev tells of and that is none takes no reader away, and the true one after it does")
    func deniedReader() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"), ["--quiet"])
        try await bench.expect("scanned")
        bench.send("plug 1 \(Self.sureSwipe) A")
        try await bench.expect("opened A")
        for number in UInt8(1)...3 {
            bench.send("deny 1")
            // Its arrival comes after the denial; were A taken for gone, the probe would wait for its end and not tell of B.
            bench.send("plug 2 \(Self.sureSwipe) B")
            try await bench.expect("opened B")
            bench.send("report 1 " + swipe(number))
            try await bench.expect("report A " + swipe(number))
            bench.send("unplug 2")
            try await bench.expect("removed B")
        }
        bench.send("deny 1")
        bench.send("unplug 1")
        try await bench.expect("ended A gone", "removed A")
        bench.send("plug 1 \(Self.sureSwipe) A")
        #expect(try await bench.firstLine(startingWith: "added") == "added A /dev/hidraw0")
        bench.end()
    }

    @Test("1,000 plugs and unplugs, node numbers reused and readers swapped: no ghost, no leak")
    func cycles() async throws {
        let bench = try HIDBench(HIDBench.product("device-probe"), ["--quiet"])
        try await bench.expect("scanned")
        var descriptors: Set<String> = []
        for cycle in 0..<500 {
            let (first, second) = cycle % 2 == 0 ? ("A", "B") : ("B", "A")
            bench.send("plug 1 \(Self.sureSwipe) \(first)")
            bench.send("plug 2 \(Self.sureSwipe) \(second)")
            // umockdev ends a program whose device goes in the middle of an ioctl: the open is awaited.
            try await bench.expect(
                "added \(first) /dev/hidraw0", "added \(second) /dev/hidraw1", "opened A", "opened B")
            bench.send("unplug \(1 + cycle % 2) hangup")
            bench.send("unplug \(2 - cycle % 2) remove")
            try await bench.expect("removed A", "removed B")
            let said = try await bench.firstLine(startingWith: "descriptors")
            if cycle >= 10 { descriptors.insert(said) }
        }
        #expect(descriptors.count == 1, "the number of open descriptors moved: \(descriptors.sorted())")
        bench.end()
    }
}
