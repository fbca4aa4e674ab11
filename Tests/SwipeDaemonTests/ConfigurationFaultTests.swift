import FoundationEssentials
import Testing

@testable import SwipeDaemon

/// Whoever mends a configuration is told everything at once.
@Suite struct ConfigurationFaultTests {
    private func lines(_ text: String, dropIns: [String: String] = [:]) async throws -> [String] {
        var lines: [String] = []
        try await withConfiguration(text, dropIns: dropIns) { path in
            do throws(ConfigurationError) {
                _ = try ConfigurationLoader.load(path: path, isRequired: true)
            } catch {
                lines = error.lines.map { $0.replacing(path, with: "{}") }
            }
        }
        return lines
    }

    /// Tones are not played to two readers at once.
    @Test func onlyABareReaderHasSeveralHeads() async throws {
        let section = "[audio-reader a]\ndevice = hw:CARD=x\nheads = 2\n"
        #expect(try await lines(section + "type = passive\n") == [])
        #expect(
            try await lines(section + "type = unimag\n") == [
                "{}:3: only a reader of type passive may have several; type is unimag"
            ])
        #expect(
            try await lines("[virtual-audio a]\nsource = /tmp/x\nheads = 4\n") == [
                "{}:3: '4' does not fit heads: write a whole number from 1 to 3"
            ])
    }

    @Test func everyFaultIsToldInOneRun() async throws {
        let told = try await lines(
            """
            level = info
            [log]
            levle = info
            level
            level = loud
            level = info
            level = info
            [nonsense
            rate = 1
            [nothing]
            a = b
            [server]
            max_clients = 0
            socket_group = no-such-group
            [audio-reader a]
            rate = 12
            [audio-reader b]
            type = ips
            [audio-reader c]
            device = default
            [virtual-hid d]
            """,
            dropIns: ["10.conf": "[access]\nmasked = ,\n", "20.conf": "[hid]\nenabled = maybe\n"])
        let places = told.map { $0.prefix { $0 != " " } }
        #expect(
            places == [
                "{}:1:", "{}:3:", "{}:4:", "{}:5:", "{}:6:", "{}:7:", "{}:8:", "{}:10:", "{}:13:", "{}:14:",
                "{}:16:", "{}:17:", "{}:20:", "{}:21:", "{}.d/10.conf:2:", "{}.d/20.conf:2:",
            ])
    }

    /// What follows from a fault is none: a section whose device is wrong does not lack one.
    @Test func aFaultIsToldOnce() async throws {
        #expect(try await lines("[virtual-hid a]\nsource = reports\n").count == 1)
        #expect(try await lines("[virtual-hid a]\nsource /reports\n").count == 1)
        #expect(try await lines("[virtual-hid]\nsorce = x\n").count == 1)
    }

    /// What is spelled rightly and means nothing.
    @Test(arguments: [
        (
            "[audio-reader q]\ndevice = hw:x\nmixer = ,,\n",
            "{}:3: ',,' does not fit mixer: write names separated by"
        ),
        ("[audio-reader q]\ndevice = hw:x\nmixer = Headphone,\n", "{}:3: 'Headphone,' does not fit mixer"),
        (
            "[audio-reader q]\ndevice = hw:x\nplayback = ,,\n",
            "{}:3: ',,' does not fit playback: write a device of"
        ),
        ("[virtual-audio q]\nsource = /x\nspeed = 0x10\n", "{}:3: '0x10' does not fit speed: write a number"),
        ("[virtual-audio q]\nsource = /x\nspeed = 1e1\n", "{}:3: '1e1' does not fit speed"),
        ("[server]\nsocket_mode = +660\n", "{}:2: '+660' does not fit socket_mode"),
        ("[virtual-hid q]\nsource = /x\ndevice = :0801::0011\n", "{}:3: ':0801::0011' is not a device"),
        ("[server]\nsocket = /x/s\n[metrics]\nfile = /x/./s\n", "{}:4: /x/./s is [server] socket already"),
        (
            "[server]\nsocket = /run/swiped/metrics.prom\n",
            "{}:2: /run/swiped/metrics.prom is [metrics] file already"
        ),
        (
            "[virtual-hid a]\nsource = /run/swiped/swiped.sock\n",
            "{}:2: /run/swiped/swiped.sock is [server] socket"
        ),
        ("[virtual-audio a]\nsource = /x\nsink = /x\n", "{}:3: /x is [virtual-audio a] source already"),
        ("[metrics]\nfile = /x\n[virtual-keyboard a]\nsource = /x\n", "{}:4: /x is [metrics] file already"),
        (
            "[keyboard-reader a]\nkeyboard = c216:0180\nlayout = de\n[keyboard-reader b]\nkeyboard = C216:0180\n",
            "{}:5: [keyboard-reader b] would never hold: [keyboard-reader a] stands before it"
        ),
        (
            "[keyboard-reader a]\nkeyboard = c216:0180\nport = 1\n[keyboard-reader b]\nkeyboard = c216:0180\nport = 1/0\n",
            "{}:5: [keyboard-reader b] would never hold"
        ),
        (
            "[reader a]\nserial = 7\n[reader b]\nserial = 7\n",
            "{}:4: [reader b] would never hold: [reader a] stands"
        ),
        ("[reader a]\nport = 1\n[reader b]\nport = 1/0\nserial = 7\n", "{}:5: [reader b] would never hold"),
    ])
    func whatMeansNothingIsRefused(text: String, line: String) async throws {
        let told = try await lines(text)
        #expect(told.count == 1 && told.first?.hasPrefix(line) == true, "\(told)")
    }

    /// What is told apart, however alike.
    @Test(arguments: [
        "[keyboard-reader a]\nkeyboard = c216:0180\nport = 1\n[keyboard-reader b]\nkeyboard = c216:0180\nport = 11\n",
        "[keyboard-reader a]\nkeyboard = c216:0180\nserial = 1\n[keyboard-reader b]\nkeyboard = c216:0180\n",
        "[keyboard-reader a]\nkeyboard = c216:0180\n[keyboard-reader b]\nkeyboard = c216:0181\n",
        "[reader a]\nserial = 7\nport = 1\n[reader b]\nserial = 7\nport = 2\n[reader c]\nserial = 7\n",
        "[audio-reader q]\ndevice = hw:x\nmixer =\nplayback =\n",
        "[virtual-audio q]\nsource = /x\nspeed = 0.5\n",
    ])
    func whatIsToldApartIsTaken(text: String) async throws { #expect(try await lines(text) == []) }

    @Test func theLogHasOneLineOfMany() async throws {
        try await withConfiguration("[log]\na = 1\nb = 2\nc = 3\n") { path in
            #expect {
                _ = try ConfigurationLoader.load(path: path, isRequired: true)
            } throws: { error in
                "\(error)".hasSuffix("known here: level (and 2 more: swiped --check-config names all)")
            }
        }
    }

    /// Names that are unknown have a place where a file says them; the defaults are no file's.
    @Test func unknownNamesHaveTheirPlace() async throws {
        let text =
            "[access]\nmasked = no-such-group, user:0\nfull = user:no-such-user\nadmin = overridden-group\n"
        try await withConfiguration(text, dropIns: ["1.conf": "[access]\nadmin = user:0\n"]) { path in
            let checked = try ConfigurationLoader.check(path: path, isRequired: true)
            #expect(checked.files == [path, "\(path).d/1.conf"])
            #expect(
                checked.unknownNames == [
                    "\(path):2: [access] names 'no-such-group', which this system does not have",
                    "\(path):3: [access] names 'user:no-such-user', which this system does not have",
                ])
        }
        let none = try ConfigurationLoader.check(path: "/nonexistent/swiped.conf", isRequired: false)
        #expect(none.files == [] && none.unknownNames == [])
        #expect(none.unknownDefaults.allSatisfy { $0.contains("'swiped' where nothing else is said") })
    }

    /// Beside faults names are told as well, so that nobody needs a second run.
    @Test func unknownNamesAreToldBesideFaults() async throws {
        let text = "[access]\nmasked = no-such-group\nfull = ,,\n[log]\nlevel = loud\n"
        try await withConfiguration(text) { path in
            do throws(ConfigurationError) {
                _ = try ConfigurationLoader.check(path: path, isRequired: true)
                Issue.record("it is called good")
            } catch {
                #expect(error.lines.map { $0.prefix { $0 != " " } } == ["\(path):3:", "\(path):5:"])
                #expect(
                    error.unknownNames == [
                        "\(path):2: [access] names 'no-such-group', which this system does not have"
                    ])
            }
        }
    }
}
