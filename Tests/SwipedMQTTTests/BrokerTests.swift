import Foundation
import SwipeProtocol
import TestSupport
import Testing

/// The daemon's events to an application, over both programs and a real broker.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: BridgeUnderTest.isThere, BridgeUnderTest.isMissing))
struct BrokerTests {
    @Test func carriesSwipesAndStates() async throws {
        let scene = try await BridgeUnderTest.started("[swipes]\nfields = kind pan\nexpiry = 30\n")
        let numbers = try await scene.swipe(3)
        try await scene.eventually("three swipes") { scene.swipes.count == 3 }
        #expect(scene.identifiers.compactMap { UInt64($0.split(separator: ":")[1]) } == numbers)
        for swipe in scene.swipes {
            #expect(!swipe.isRetained && (1...30).contains(swipe.expiry ?? 0))
            #expect(swipe.topic == "swiped/till/reader/virtual-till/swipe")
            #expect(swipe.text.contains(#""masked":"476173******0011""#) && !swipe.text.contains("DOE"))
            #expect(try PublishedSwipes.complaint(Array(swipe.text.utf8)) == nil)
        }
        #expect(scene.states("availability").last == "online")
        // Who comes later gets the states, and no swipe.
        try scene.mark("a mark")
        let late = try Programs.start(
            at: BridgeUnderTest.application,
            [
                "-h", "localhost", "-p", "\(scene.port)", "-q", "1", "-t", "swiped/#", "-t", "marks/#", "-F",
                "%t",
            ], log: scene.path("late"))
        defer { kill(late.processIdentifier, SIGKILL) }
        // What is kept comes in the order in which it was asked for: all of ours is there before the mark.
        try await scene.eventually("the mark") { scene.text("late").contains("marks/last\n") }
        #expect(scene.text("late").contains("swiped/till/reader/virtual-till/state\n"))
        #expect(scene.text("late").contains("swiped/till/availability\n"))
        #expect(!scene.text("late").contains("/swipe"))
        try await scene.simulate(.disconnect)
        try await scene.eventually("no state") { scene.states("reader/virtual-till/state").last == "" }
        for secret in ["4761730000000011", "DOE/JOHN", "=2412"] {
            #expect(!scene.logged.contains(secret) && !scene.received.contains { $0.text.contains(secret) })
        }
        #expect(try await scene.end(.bridge) == 0)
        try await scene.eventually("offline") { scene.states("availability").last == "offline" }
        // It took leave: the broker had no reason to publish the will.
        try await scene.eventually("its leave") {
            scene.text("broker.log").contains("Client swiped-till disconnected.")
        }
    }

    /// A message that is longer than the broker takes is refused, and holds up no swipe.
    @Test func whatIsTooLongHoldsUpNothing() async throws {
        let scene = try await BridgeUnderTest.started(
            "[discovery]\nenabled = yes\n[swipes]\nfields = none\n",
            broker: "allow_anonymous true\nmax_packet_size 1000")
        try await scene.swipe(2)
        try await scene.eventually("two swipes") { scene.swipes.count == 2 }
        #expect(scene.logged.contains("event=mqtt.refused") && scene.logged.contains("look at its limits"))
    }

    /// Whatever becomes of the broker, the application gets each swipe once, and states right after.
    @Test func aBrokerThatIsKilledLosesNothing() async throws {
        let scene = try await BridgeUnderTest.started()
        var numbers = try await scene.swipe(2)
        try await scene.eventually("two swipes") { scene.swipes.count == 2 }
        try await scene.brokerRemembers()
        try await scene.end(.broker, SIGKILL)
        numbers += try await scene.swipe(3)
        try await scene.startBroker()
        try await scene.eventually("five swipes") { scene.identifiers.count == 5 }
        #expect(scene.identifiers.compactMap { UInt64($0.split(separator: ":")[1]) }.sorted() == numbers)
        #expect(scene.states("loss").isEmpty)
    }

    @Test func aBrokerThatForgotAllIsToldTheStates() async throws {
        let scene = try await BridgeUnderTest.started()
        try await scene.swipe(1)
        try await scene.eventually("a swipe") { scene.swipes.count == 1 }
        try await scene.end(.broker, SIGKILL)
        try FileManager.default.removeItem(atPath: scene.path("mosquitto.db"))
        let before = scene.received.count
        try await scene.startBroker()
        try await scene.statesAreRight(after: before)
        #expect(
            scene.received.dropFirst(before).first { $0.topic.hasSuffix("availability") }?.text == "online")
        #expect(!scene.received.dropFirst(before).contains { $0.topic.hasSuffix("/swipe") })
    }

    /// - Parameter isNoticed: whether it stands still until the bridge has given it up.
    @Test(arguments: [false, true]) func aBrokerThatStandsStillLosesNothing(isNoticed: Bool) async throws {
        let scene = try await BridgeUnderTest.started()
        let before = scene.received.count
        try scene.signal(.broker, SIGSTOP)
        let numbers = try await scene.swipe(40)
        if isNoticed {
            let start = ContinuousClock.now
            try await scene.eventually("an end") { scene.logged.contains("event=mqtt.disconnected") }
            #expect(scene.logged.contains("broker: it does not "))
            // Two keep-alives and a turn of the thread, on a machine with much to do; TCP itself takes minutes.
            #expect(ContinuousClock.now - start < .seconds(25))
        }
        try scene.signal(.broker, SIGCONT)
        try await scene.eventually("all swipes") { scene.identifiers.count == 40 }
        #expect(scene.identifiers.compactMap { UInt64($0.split(separator: ":")[1]) } == numbers)
        #expect(scene.states("loss").isEmpty)
        if isNoticed { try await scene.statesAreRight(after: before) }
    }

    /// Of more swipes than may wait the oldest go, and of those that wait too long: each is counted.
    @Test(arguments: [("queue = 2", "queue_full", 3), ("expiry = 1", "expired", 5)])
    func whatIsLostIsCounted(setting: String, reason: String, count: Int) async throws {
        let scene = try await BridgeUnderTest.started("[swipes]\n\(setting)\n")
        try await scene.brokerRemembers()
        try await scene.end(.broker, SIGKILL)
        try await scene.swipe(5)
        try await scene.eventually("the count") {
            scene.metrics.contains(#"{reason="\#(reason)"} \#(count)"#)
        }
        try await scene.startBroker()
        try await scene.eventually("the loss") { !scene.states("loss").isEmpty }
        #expect(scene.states("loss").first?.contains(#""reason":"\#(reason)","count":\#(count)"#) == true)
        try await scene.eventually("the others") { scene.identifiers.count == 5 - count }
        #expect(scene.metrics.contains("swiped_mqtt_lost_total{reason=\"\(reason)\"} \(count)\n"))
        try await scene.eventually("a line of it") {
            scene.logged.contains("event=mqtt.loss") && scene.logged.contains("reason=\(reason)")
        }
    }

    @Test func aDaemonThatIsStartedAnewIsTold() async throws {
        let scene = try await BridgeUnderTest.started()
        try await scene.end(.daemon)
        try await scene.eventually("offline") { scene.states("availability").last == "offline" }
        try await scene.startDaemon()
        try await scene.eventually("online") { scene.states("availability").last == "online" }
        try await scene.eventually("the loss") {
            scene.states("loss").contains { $0.contains(#""reason":"restart""#) }
        }
        try await scene.eventually("the reader") {
            scene.states("reader/virtual-till/state").last?.contains(#""state":"ready""#) == true
        }
        try await scene.swipe(1)
        try await scene.eventually("a swipe") { scene.swipes.count == 1 }
    }

    /// The next run of the bridge says which numbers nobody got, also those that the one before it had in its memory.
    @Test func aBridgeThatIsKilledIsMadeUpFor() async throws {
        let scene = try await BridgeUnderTest.started()
        let before = try await scene.swipe(1)
        try await scene.eventually("how far it has come") {
            scene.states("bridge").last?.contains(#""swipes":1"#) == true
        }
        try await scene.end(.bridge, SIGKILL)
        try await scene.eventually("the will") { scene.states("availability").last == "offline" }
        let missed = try await scene.swipe(2)
        let count = scene.received.count
        try scene.startBridge()
        try await scene.statesAreRight(after: count)
        try await scene.eventually("the loss") { !scene.states("loss").isEmpty }
        let loss = try #require(scene.states("loss").first)
        let first = try #require(loss.firstMatch(of: /"from":([0-9]+)/).flatMap { UInt64($0.1) })
        let last = try #require(loss.firstMatch(of: /"to":([0-9]+)/).flatMap { UInt64($0.1) })
        #expect(missed.allSatisfy { (first...last).contains($0) } && !(first...last).contains(before[0]))
        try await scene.swipe(1)
        try await scene.eventually("the next swipe") { scene.identifiers.count == 2 }
    }

    /// It stands still: the broker hears nothing, and says so within one and a half times the keep-alive.
    @Test func theWillIsSeenInTime() async throws {
        let scene = try await BridgeUnderTest.started()
        let start = ContinuousClock.now
        try scene.signal(.bridge, SIGSTOP)
        try await scene.eventually("the will") { scene.states("availability").last == "offline" }
        // 7.5 s; mosquitto looks every five at most, and the machine may have much to do.
        #expect(ContinuousClock.now - start < .seconds(25))
        try scene.signal(.bridge, SIGCONT)
        try await scene.eventually("online") { scene.states("availability").last == "online" }
    }

    @Test func speaksTheOlderVersion() async throws {
        let scene = try await BridgeUnderTest.started("[broker]\nversion = 3.1.1\n")
        try await scene.swipe(1)
        try await scene.eventually("a swipe") { scene.swipes.count == 1 }
        #expect(scene.swipes.first?.expiry == nil || scene.swipes.first?.expiry == 0)
    }

    /// What the daemon shows and nobody wants is not left in memory a second after; a whole number never comes there.
    ///
    /// The commands need the role that shows cards masked.
    @Test(
        .enabled(if: getuid() == 0, "Only root may look into the program's memory"),
        arguments: [
            ("none", ["545230******7189"]), ("tracks", [";545230******7189="]),
            ("hash", [";545230******7189="]), ("kind brand pan tracks quality", [";545230******7189="]),
            (
                "kind brand pan hash expiry service_code tracks quality chip encryption",
                [";545230******7189="]
            ),
        ])
    func nothingOfACardIsLeft(fields: String, covered: [String]) async throws {
        let scene = try await BridgeUnderTest.started(
            "[swipes]\nfields = \(fields)\n[commands]\nallow = activate\n")
        try await scene.simulate(.swipe, card: "mastercard")
        try await scene.eventually("a swipe") { scene.swipes.count == 1 }
        let deadline = ContinuousClock.now + .seconds(1)
        let id = try #require(scene.bridge?.processIdentifier)
        for secret in ["5452300551227189", "^0804321", "=0804321", "HOGAN"] + covered {
            var isThere = try ProcessMemory.contains(secret, of: id)
            while isThere, .now < deadline { isThere = try ProcessMemory.contains(secret, of: id) }
            #expect(!isThere, "\(secret)")
            let sent = scene.received.filter { $0.text.contains(secret) }
            #expect(sent.isEmpty && !scene.logged.contains(secret) && !scene.metrics.contains(secret))
        }
        #expect(try ProcessMemory.contains("swiped/till/availability", of: id))
    }

    /// No core file of it can be written: what belongs to a process that may not be dumped belongs to root in /proc (proc(5)).
    @Test(.enabled(if: getuid() == 0, "Only root may become another user"))
    func thereIsNoCoreOfIt() async throws {
        let scene = try BridgeUnderTest()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scene.folder.path)
        for (words, name, owner) in [
            (["/bin/sleep", "60"], "sleep", 65_534),
            (
                [Programs.path("swiped-mqtt").path, "--config", scene.path("mqtt.conf"), "--foreground"],
                "swiped-mqtt", 0
            ),
        ] {
            let process = try Programs.start(
                at: "/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + words,
                log: scene.path("other.log"))
            defer { kill(process.processIdentifier, SIGKILL) }
            let folder = "/proc/\(process.processIdentifier)"
            try await scene.eventually("\(name)'s owner") {
                guard (try? String(contentsOfFile: folder + "/comm", encoding: .utf8)) == name + "\n" else {
                    return false
                }
                let facts = try? FileManager.default.attributesOfItem(atPath: folder + "/environ")
                return facts?[.ownerAccountID] as? Int == owner
            }
        }
    }

    /// Over the broker, in the protocol's words, and with the protocol's answers.
    @Test func commandsComeIn() async throws {
        let scene = try await BridgeUnderTest.started(
            "[commands]\nallow = request_swipe test_communication\n")
        for (id, method) in [(1, "request_swipe"), (2, "activate")] {
            let asked = try Programs.run(
                at: "/usr/bin/mosquitto_pub",
                [
                    "-h", "localhost", "-p", "\(scene.port)", "-q", "1", "-t",
                    "swiped/till/reader/virtual-till/command", "-m", #"{"id":\#(id),"method":"\#(method)"}"#,
                ])
            #expect(asked.status == 0)
        }
        try await scene.eventually("both answers") {
            scene.states("reader/virtual-till/response").count == 2
        }
        let answers = scene.states("reader/virtual-till/response").joined(separator: "\n")
        // A reader on USB is always ready: the daemon says so, with the claim that the command needs.
        #expect(answers.contains(#""id":1,"error":{"code":"reader.unsupported""#), "\(answers)")
        #expect(answers.contains(#""id":2,"error":{"code":"access.denied""#), "\(answers)")
    }

    @Test func aReaderOfAnotherLifeIsTakenBack() async throws {
        let scene = try BridgeUnderTest()
        try await scene.startBroker()
        let left = try Programs.run(
            at: "/usr/bin/mosquitto_pub",
            [
                "-h", "localhost", "-p", "\(scene.port)", "-r", "-q", "1", "-t",
                "swiped/till/reader/gone/state", "-m", "{}",
            ])
        #expect(left.status == 0)
        try scene.startApplication()
        try await scene.startDaemon()
        try scene.startBridge()
        try await scene.eventually("nothing") { scene.states("reader/gone/state").last == "" }
    }

    @Test func aDaemonThatShowsAllIsRefused() async throws {
        let scene = try BridgeUnderTest(daemon: BridgeUnderTest.daemonDefaults + "[access]\nfull = *\n")
        try await scene.startBroker()
        try await scene.startDaemon()
        try scene.startBridge()
        try await scene.eventually("its end") { scene.bridge?.isRunning == false }
        #expect(scene.bridge?.terminationStatus == 78)
        #expect(scene.logged.contains("event=mqtt.daemon_unsuited"))
    }

    /// The daemon lets it in without the role that it needs: swipes would come empty.
    @Test func aRoleThatIsTooSmallIsNotUsed() async throws {
        let scene = try BridgeUnderTest(
            daemon: BridgeUnderTest.daemonDefaults.replacing("masked = *\n", with: "masked = user:65534\n"))
        try await scene.startBroker()
        try await scene.startDaemon()
        try scene.startBridge()
        try await scene.eventually("a word") { scene.logged.contains("event=mqtt.role_too_small") }
        #expect(scene.logged.contains("in [access] masked in swiped.conf"))
        #expect(scene.bridge?.isRunning == true && !scene.logged.contains("mqtt.daemon_connected"))
    }

    @Test func printsADropIn() throws {
        let scene = try BridgeUnderTest()
        try scene.write("mqtt.conf", "[broker]\nhost = 192.0.2.7\n")
        let printed = try Programs.run(
            "swiped-mqtt", ["--print-drop-in", "--config", scene.path("mqtt.conf")])
        #expect(printed.status == 0)
        #expect(printed.said.hasSuffix("[Service]\nIPAddressDeny=any\nIPAddressAllow=192.0.2.7\n"))
        try scene.write("mqtt.conf", "[broker]\nport = 0\n")
        let bad = try Programs.run("swiped-mqtt", ["--print-drop-in", "--config", scene.path("mqtt.conf")])
        #expect(bad.status == 78 && bad.said.contains("port: write"))
    }

    @Test func checksItsConfiguration() throws {
        let scene = try BridgeUnderTest("[swipes]\nfields = name\n")
        let bad = try Programs.run("swiped-mqtt", ["--check-config", "--config", scene.path("mqtt.conf")])
        #expect(bad.status == 78 && bad.said.contains("fields: write names"))
        let kept = Programs.root.appending(path: "etc/swiped-mqtt.conf").path
        let good = try Programs.run("swiped-mqtt", ["--check-config", "--config", kept])
        #expect(good.status == 0 && good.said.contains("the configuration is good"))
        #expect(try Programs.run("swiped-mqtt", ["--nonsense"]).status == 2)
    }
}
