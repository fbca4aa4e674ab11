import Foundation
import TestSupport
import Testing

/// Whom the broker lets in, and which broker the bridge believes.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: BridgeUnderTest.isThere, BridgeUnderTest.isMissing))
struct BrokerAccessTests {
    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// A user with a password, and what it may write by the broker's rules.
    @Test(arguments: ["a-right-one", "a-wrong-one"]) func aPasswordLetsIn(password: String) async throws {
        let scene = try BridgeUnderTest(
            "[broker]\nuser = till\npassword = {}/secret\n",
            broker: "allow_anonymous false\npassword_file {}/users",
            credentials: ["-u", "till", "-P", "a-right-one"]
        ) { folder in
            let users = folder.appending(path: "users").path
            let made = try Programs.run(
                at: "/usr/bin/mosquitto_passwd", ["-b", "-c", users, "till", "a-right-one"])
            #expect(made.status == 0, "\(made.said)")
            try "\(password)\n".write(
                to: folder.appending(path: "secret"), atomically: true, encoding: .utf8)
        }
        try await scene.startBroker()
        try scene.startApplication()
        try await scene.startDaemon()
        try scene.startBridge()
        if password == "a-right-one" {
            try await scene.eventually("online") { scene.states("availability").last == "online" }
        } else {
            try await scene.eventually("a refusal") { scene.logged.contains("event=mqtt.disconnected") }
            #expect(scene.logged.contains("the broker says: Not authorized"))
        }
        #expect(!scene.logged.contains(password))
    }

    /// The rules of docs/fleet.md let a host do all that it does, also with commands and discovery, and nothing at another's topics.
    @Test func theDocumentedRulesAreEnough() async throws {
        let page = try String(contentsOf: Programs.root.appending(path: "docs/fleet.md"), encoding: .utf8)
        let rules = page.components(separatedBy: "```").filter { $0.contains("pattern ") }
        let scene = try await BridgeUnderTest.started(
            "[broker]\nuser = till\npassword = {}/secret\n[commands]\nallow = activate\n[discovery]\nenabled = yes\n",
            broker: "allow_anonymous false\npassword_file {}/users\nacl_file {}/rules",
            credentials: ["-u", "till", "-P", "a-right-one"],
            prepare: { folder in
                let users = folder.appending(path: "users").path
                let made = try Programs.run(
                    at: "/usr/bin/mosquitto_passwd", ["-b", "-c", users, "till", "a-right-one"])
                #expect(made.status == 0, "\(made.said)")
                for (name, text) in [("secret", "a-right-one\n"), ("rules", rules.joined())] {
                    try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
                }
            })
        try await scene.swipe(1)
        try await scene.eventually("a swipe") { scene.swipes.count == 1 }
        try await scene.eventually("how far it has come") {
            scene.states("bridge").last?.contains(#""swipes":1"#) == true
        }
        try await scene.eventually("the metrics") { scene.metrics.contains("swiped_mqtt_refused_total 0\n") }
        #expect(!scene.logged.contains("mqtt.deaf") && !scene.logged.contains("mqtt.refused"))
        let other = try Programs.run(
            at: "/usr/bin/mosquitto_pub",
            [
                "-h", "localhost", "-p", "\(scene.port)", "-V", "5", "-u", "till", "-P", "a-right-one", "-q",
                "1", "-t", "swiped/other/reader/r/command", "-m", "{}",
            ])
        #expect(other.said.contains("Not authorized"), "\(other.said)")
    }

    /// The broker takes no swipe of this host: each is a loss, and the log says so.
    @Test func aRuleThatRefusesIsTold() async throws {
        let scene = try await BridgeUnderTest.started(
            broker: "allow_anonymous true\nacl_file {}/rules",
            prepare: { folder in
                try """
                topic readwrite swiped/till/availability
                topic readwrite swiped/till/bridge
                topic readwrite swiped/till/loss
                topic readwrite swiped/till/reader/virtual-till/state
                topic read swiped/#

                """.write(to: folder.appending(path: "rules"), atomically: true, encoding: .utf8)
            })
        try await scene.swipe(1)
        try await scene.eventually("the loss") {
            scene.states("loss").contains { $0.contains(#""reason":"refused","count":1"#) }
        }
        #expect(scene.logged.contains("event=mqtt.refused") && scene.swipes.isEmpty)
        // By its topic the administrator finds the rule.
        #expect(scene.logged.contains("topic=swiped/till/reader/virtual-till/swipe what=swipe"))
    }

    /// An authority of one's own or one that the system trusts, and a certificate for each host.
    ///
    /// What the system trusts OpenSSL is told here by its variable (SSL_CTX_load_verify_locations(3)).
    @Test(
        .enabled(if: hasOpenSSL, "This test needs openssl"),
        arguments: [
            ("localhost", "authority = {}/ca.pem", "", true),
            ("localhost", "", "SSL_CERT_FILE={}/ca.pem", true),
            ("elsewhere.example", "authority = {}/ca.pem", "", false), ("localhost", "", "", false),
        ])
    func theBrokersNameIsChecked(
        name: String, authority: String, variable: String, isGood: Bool
    ) async throws {
        let scene = try BridgeUnderTest(
            "[broker]\ntls = yes\n\(authority)\ncertificate = {}/till.pem\nkey = {}/till.key\n",
            broker: """
                cafile {}/ca.pem
                certfile {}/broker.pem
                keyfile {}/broker.key
                require_certificate true
                use_identity_as_username true
                """,
            credentials: [
                "--cafile", "{}/ca.pem", "--cert", "{}/till.pem", "--key", "{}/till.key", "--insecure",
            ]
        ) { try Self.makeCertificates(in: $0, brokersName: name) }
        try await scene.startBroker()
        try scene.startApplication()
        try await scene.startDaemon()
        try scene.startBridge([variable].filter { !$0.isEmpty })
        if isGood {
            try await scene.eventually("online") { scene.states("availability").last == "online" }
            try await scene.swipe(1)
            try await scene.eventually("a swipe") { scene.swipes.count == 1 }
        } else {
            try await scene.eventually("a refusal") { scene.logged.contains("event=mqtt.disconnected") }
            #expect(!scene.logged.contains("event=mqtt.connected"))
            // It says what is wrong with it, and not only that something is.
            #expect(scene.logged.contains("verif"), "\(scene.logged)")
        }
    }

    private static func makeCertificates(in folder: URL, brokersName: String) throws {
        let script = """
            cd "$1"
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem
            sign() {
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -keyout "$1.key" -out "$1.csr"
                printf 'subjectAltName=DNS:%s\\n' "$2" >"$1.ext"
                openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile "$1.ext" -out "$1.pem"
            }
            sign broker "$2"
            sign till till
            """
        let made = try Programs.run(at: "/bin/bash", ["-euc", script, "bash", folder.path, brokersName])
        #expect(made.status == 0, "\(made.said)")
    }
}
