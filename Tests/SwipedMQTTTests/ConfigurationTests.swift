import ServiceSupport
import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What the configuration says, and what is wrong with it.
@Suite struct ConfigurationTests {
    @Test(arguments: ["localhost", "mq_1.example", "192.0.2.7", "::1", "fe80::1%eth0"])
    func aHostIsANameOrAnAddress(host: String) throws {
        #expect(try MQTTConfiguration("[broker]\nhost = \(host)").broker.host == host)
    }

    @Test func nothingSaidIsTheDefaults() throws {
        let configuration = try MQTTConfiguration("")
        #expect(configuration.fields == .usual && configuration.role == .masked)
        #expect(configuration.broker.portInUse == 1_883 && configuration.warnings.isEmpty)
    }

    @Test func everythingCanBeSaid() throws {
        let configuration = try MQTTConfiguration(
            """
            [daemon]
            socket = /tmp/s
            [broker]
            host = mq.example
            tls = yes
            version = 3.1.1
            name = till-7
            client_id = x
            keepalive = 5
            user = fleet
            password = mqtt
            authority = /etc/ca.pem
            certificate = c
            key = k
            [topics]
            base = shops/{host}
            swipe = {base}/swipes/{reader}
            [swipes]
            fields = kind expiry
            expiry = 5
            queue = 7
            [stats]
            interval = 0
            [metrics]
            file =
            interval = 1
            [log]
            level = debug
            """)
        #expect(configuration.broker.portInUse == 8_883 && !configuration.broker.isVersion5)
        #expect(configuration.fields == FieldSet([.kind, .expiry]))
        let topics = try HostTopics(configuration.topics, host: "till-7")
        #expect(topics.topic(.swipe, reader: "r") == "shops/till-7/swipes/r")
        #expect(topics.topic(.availability) == "shops/till-7/availability")
        #expect(configuration.broker.password?.path([:]) == nil)
        #expect(configuration.broker.password?.path(["CREDENTIALS_DIRECTORY": "/run/c"]) == "/run/c/mqtt")
        #expect(configuration.broker.authority?.path([:]) == "/etc/ca.pem")
    }

    @Test(arguments: [
        ("[broker]\nport = 0", "f:2: port: write a whole number from 1 to 65535"),
        ("[broker]\nversion = 4", "f:2: version: write one of 5, 3.1.1"),
        ("[broker]\nhost =", "f:2: host: write something, or leave the line out"),
        (
            "[broker]\nhost = \"mq\"",
            "f:2: host: write a name or an address alone: port has a line of its own"
        ),
        ("[broker]\nhost = mqtt://mq", "f:2: host: write a name or an address alone"),
        ("[broker]\nhost = mq.example:1883", "f:2: host: write a name or an address alone"),
        ("[broker]\npassword = x", "f:2: password: needs a user as well"),
        ("[broker]\nkeepalive = 4", "f:2: keepalive: write a whole number from 5 to 3600"),
        ("[broker]\nhost = x\nauthority = /ca", "f:3: authority: needs tls = yes"),
        ("[broker]\ntls = yes\nkey = k", "f:3: key: needs a certificate as well"),
        ("[broker]\ncertificate = c\ntls = yes", "f:2: certificate: needs a key as well"),
        ("[swipes]\nqueue = 0", "f:2: queue: write a whole number from 1 to 10000"),
        ("[topics]\nbase = a/#", "f:2: base: a topic to publish at has no + and no #"),
        ("[topics]\nswipe = {base}/swipe", "f:2: swipe: {reader} must stand in it"),
        ("[topics]\nloss = {base}/{reader}", "f:2: loss: {reader} has no meaning here"),
        ("[topics]\nloss = {base}/stats", "f:2: loss: the same topic as stats: give one"),
        ("[topics]\nstats = {base}/loss", "f:2: stats: the same topic as loss: give one"),
        ("[topics]\nbase = swiped/berlin", "f:2: base: {host} must stand in it, or the [broker] name"),
        (
            "[topics]\nbase = swiped/till-77\n[broker]\nname = till-7",
            "f:2: base: {host} must stand in it, or the [broker] name"
        ),
        ("[topics]\nstate = swiped/{reader}/state", "f:2: state: {base} or {host} must stand in it: else"),
        ("[topics]\nbridge = swiped/bridge", "f:2: bridge: {base} or {host} must stand in it: else"),
        (
            "[topics]\nstate = {base}/{reader}",
            "f:2: state: the same topic as availability where a reader is called so: give one"
        ),
        (
            "[topics]\nstats = {base}/reader/x/swipe",
            "f:2: stats: the same topic as swipe where a reader is called so: give one"
        ),
        (
            "[topics]\nswipe = {base}/{reader}-swipe\nstate = {base}/card-{reader}",
            "f:2: swipe: the same topic as state where a reader is called so: give one"
        ),
        ("[topics]\nloss = {other}", "f:2: loss: in braces may stand: base, host, reader"),
        ("[swipes]\nfields = name", "f:2: fields: write names with blanks between them, or none"),
        ("[metrics]\nfile = relative", "f:2: file: write a path that begins with /, or nothing"),
        ("[daemon]\nsocket =", "f:2: socket: write a path of at most 107 bytes that begins with /"),
        ("[daemon]\nsocket = rel", "f:2: socket: write a path of at most 107 bytes that begins with /"),
        ("[nobody]\nx = 1", "f:1: unknown section"),
    ]) func whatIsWrongIsNamed(text: String, complaint: String) {
        #expect {
            try MQTTConfiguration(text, of: "f")
        } throws: { error in
            (error as? ConfigurationFault)?.lines.contains { $0.hasPrefix(complaint) } == true
        }
    }

    /// Everything at once, in the order of the lines.
    @Test func allIsNamedInOneRun() {
        do throws(ConfigurationFault) {
            _ = try MQTTConfiguration(
                "[broker]\nport = 0\npassword = x\nauthority = /x\n[topics]\nloss = {host}\nstate = a\nswipe = b\n",
                of: "f")
            Issue.record("it is called good")
        } catch {
            #expect(error.lines.map { $0.prefix { $0 != " " } } == ["f:2:", "f:3:", "f:4:", "f:7:", "f:8:"])
        }
    }

    /// Files that the configuration names, by the line that names them.
    @Test func aSecretThatIsNotThereHasItsLine() throws {
        let configuration = try MQTTConfiguration(
            "[broker]\nuser = u\npassword = /nonexistent/p\ntls = yes\nauthority = /nonexistent/a\n", of: "f")
        #expect(
            BrokerIdentity.faults(of: configuration.broker) == [
                "f:5: authority: /nonexistent/a: No such file or directory",
                "f:3: password: /nonexistent/p: No such file or directory",
            ])
    }

    /// What would be found out only at work, or never.
    @Test(arguments: [
        ("command = {base}/{reader}-command", "{reader} must be a level of its own"),
        ("base = a\tb", "a topic has no control characters"),
    ]) func whatWouldBeSilentIsNamed(line: String, words: String) {
        #expect {
            try MQTTConfiguration("[topics]\n" + line)
        } throws: { error in
            (error as? ConfigurationFault)?.lines.contains { $0.contains(words) } == true
        }
    }

    @Test func aPasswordInClearIsWarnedOf() throws {
        let text = "[broker]\nhost = mq.example\nuser = u\npassword = /p"
        #expect(try MQTTConfiguration(text).warnings.count == 1)
        #expect(try MQTTConfiguration(text + "\ntls = yes").warnings.isEmpty)
    }

    /// Nobody who is on the way is without a word: what goes in clear is not the password alone.
    @Test(arguments: [("mq.example", 1), ("192.0.2.7", 1), ("127.0.0.2", 0), ("::1", 0), ("localhost", 0)])
    func aFarBrokerWithoutTLSIsWarnedOf(host: String, count: Int) throws {
        let warnings = try MQTTConfiguration("[broker]\nhost = \(host)").warnings
        #expect(warnings.count == count && warnings.allSatisfy { $0.contains("without a user") })
        #expect(try MQTTConfiguration("[broker]\nhost = \(host)\ntls = yes").warnings.isEmpty)
    }

    /// A credential is looked at where systemd has handed it over; elsewhere it is said that it was not.
    @Test func aCredentialIsLookedAtWhereItIs() throws {
        let configuration = try MQTTConfiguration("[broker]\nuser = u\npassword = secret\n", of: "f")
        #expect(BrokerIdentity.faults(of: configuration.broker, [:]).isEmpty)
        #expect(
            BrokerIdentity.warnings(of: configuration.broker, [:]) == [
                "f:3: password: secret is a credential, which systemd hands to the service alone: it is not looked at here"
            ])
        let environment = ["CREDENTIALS_DIRECTORY": "/nonexistent"]
        #expect(
            BrokerIdentity.faults(of: configuration.broker, environment) == [
                "f:3: password: /nonexistent/secret: No such file or directory"
            ])
        #expect(BrokerIdentity.warnings(of: configuration.broker, environment).isEmpty)
    }

    /// A template without the machine's name would make all machines one: each would empty the others' states.
    @Test func theTopicsAreThisMachinesOwn() throws {
        let own = try MQTTConfiguration("[topics]\nbase = shops/till-7/cards\n[broker]\nname = till-7\n")
        let topics = try HostTopics(own.topics, host: "till-7")
        #expect(topics.filter(.state) == "shops/till-7/cards/reader/+/state")
        let each = try MQTTConfiguration("[topics]\nstate = {host}/{reader}/state\nbase = x/{host}\n")
        #expect(try HostTopics(each.topics, host: "a").filter(.state) == "a/+/state")
        // No reader has an empty name, with which these would be one.
        let near = try MQTTConfiguration("[topics]\nswipe = {base}/card-{reader}x\nstats = {base}/card-x\n")
        #expect(try HostTopics(near.topics, host: "a").topic(.stats) == "swiped/a/card-x")
    }

    /// The daemon is asked for no more than what is published.
    @Test(arguments: [
        ("none", Role.status), ("tracks quality", .status), ("brand", .masked), ("chip", .masked),
        ("encryption", .masked),
    ]) func theRoleFollowsFromTheFields(fields: String, role: Role) throws {
        #expect(try MQTTConfiguration("[swipes]\nfields = \(fields)").role == role)
    }

    @Test(arguments: [
        ("magtek-B05A9C4", "magtek-B05A9C4"), ("a/b+c#d", "a_b_c_d"), ("", "_"), ("$SYS", "_SYS"),
        ("a\u{0}b", "a_b"), ("a\u{FFFE}b", "a_b"), ("lesegerät", "lesegerät"),
    ]) func aNameIsOneLevel(name: String, level: String) { #expect(TopicTemplate.level(name) == level) }

    @Test func whatItListensToIsItsOwn() throws {
        let topics = try HostTopics(Topics(), host: "till")
        #expect(topics.filter(.state) == "swiped/till/reader/+/state")
        #expect(topics.reader(.command, in: "swiped/till/reader/r/command") == "r")
        #expect(topics.reader(.command, in: "swiped/till/reader/r/state") == nil)
        var other = Topics()
        other.templates[.state] = "{base}/r-{reader}/state"
        #expect(try HostTopics(other, host: "till").filter(.state) == nil)
    }

    @Test func pausesGrowAndDiffer() {
        var pause = ReconnectPause()
        #expect(pause.next(chance: 0) == .milliseconds(500))
        #expect(pause.next(chance: 1) == .seconds(2))
        for _ in 0..<10 { _ = pause.next(chance: 1) }
        #expect(pause.next(chance: 1) == .seconds(60) && pause.next(chance: 0) == .seconds(30))
        pause.reset()
        #expect(pause.next(chance: 1) == .seconds(1))
    }
}
