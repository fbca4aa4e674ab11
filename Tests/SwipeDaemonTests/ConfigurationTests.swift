import FoundationEssentials
import Logging
import ReaderKit
import SwipeDaemon
import SwipeProtocol
import Testing

@Suite struct ConfigurationTests {
    /// A configuration in a folder of its own; `{}` in an expected place stands for the main file.
    private func load(_ text: String, dropIns: [String: String] = [:]) async throws -> DaemonConfiguration {
        try await withConfiguration(text, dropIns: dropIns) { path in
            do throws(ConfigurationError) {
                return try ConfigurationLoader.load(path: path, isRequired: true)
            } catch {
                throw ConfigurationError(place: error.place.replacing(path, with: "{}"), reason: error.reason)
            }
        }
    }

    @Test func emptyFileMeansTheDefaults() async throws {
        let configuration = try await load("")
        #expect(configuration.server.socketPath == "/run/swiped/swiped.sock")
        #expect(configuration.server.socketMode == 0o660)
        #expect(configuration.access.full == [])
        #expect(configuration.access.masked == [.group("swiped"), .user("0")])
        #expect(configuration.isHIDEnabled)
    }

    @Test func laterFilesWin() async throws {
        let configuration = try await load(
            "[log]\nlevel = debug\n[server]\nmax_clients = 7\n",
            dropIns: ["10-a.conf": "[log]\nlevel=error", "20-b.conf": "[log]\nlevel=warning", "no.bak": "?"])
        #expect(configuration.logLevel == .warning)
        #expect(configuration.server.maximumClients == 7)
    }

    @Test func readsTheReaders() async throws {
        let configuration = try await load(
            """
            [virtual-hid till]
            device = 0801:0002
            source = /tmp/reports
            [virtual-audio door]
            source = /tmp/sound
            speed = 20
            [audio-reader desk]
            device = hw:CARD=Headset
            """)
        #expect(configuration.virtualHID.map(\.name) == ["till"])
        #expect(configuration.virtualHID.first?.productID == 0x0002)
        #expect(configuration.virtualAudio.first?.speed == 20)
        #expect(configuration.audioReaders.first?.setup == AudioSetup())
    }

    /// The one kind that plays no tone and asks nothing.
    @Test func aReaderIsAPassiveHeadUnlessSaid() async throws {
        let configuration = try await load("[audio-reader desk]\ndevice = hw:CARD=PCH\n")
        #expect(configuration.audioReaders.first?.setup.type == .passive)
    }

    /// Each text by its own setting, and its default where the setting is taken out.
    @Test("reads each text", arguments: ReaderPrompt.Kind.allCases)
    func readsEachText(kind: ReaderPrompt.Kind) async throws {
        let key =
            switch kind {
            case .activation: "activation_prompt"
            case .activationAtMaximumVolume: "activation_at_maximum_volume_prompt"
            case .initializing: "initializing_message"
            case .timeout: "timeout_message"
            case .volumeTooLow: "volume_too_low_message"
            }
        let section = "[audio-reader desk]\ndevice = hw:CARD=PCH\ntype = unimag\n"
        let changed = try #require(try await load(section + "\(key) = Other words\n").audioReaders.first)
        for other in ReaderPrompt.Kind.allCases {
            let text = changed.setup.options.prompts[other]
            #expect(text == (other == kind ? "Other words" : PromptTexts()[other]))
        }
        #expect(try await load(section).audioReaders.first?.setup.options == ReaderOptions())
    }

    @Test func readsHowAReaderBehaves() async throws {
        let configuration = try await load(
            """
            [audio-reader desk]
            device = hw:CARD=PCH
            playback = plughw:CARD=PCH
            mixer = Headphone, Master Mono
            jack = Headset Mic Jack
            type = unimag
            rate = 44100
            gain = 70
            gain_mixer = Mic, Internal Mic
            activate_on_attach = no
            volume_to_max = no
            always_accept_swipe = no
            swipe_timeout_s = 3
            activate_without_prompting = yes
            prompt_timeout_s = 5
            activation_prompt = Kopfhörer weg?
            initializing_message =
            profile = unimag-2400-16000-48000-1
            remember_autodetect = yes
            [virtual-audio jack]
            source = /tmp/sound
            sink = /tmp/played
            jack = /tmp/jack
            volume = /tmp/volume
            microphone = /tmp/gain
            type = ips
            """)
        let desk = try #require(configuration.audioReaders.first)
        #expect(desk.playback == "plughw:CARD=PCH")
        #expect(desk.mixer == ["Headphone", "Master Mono"])
        #expect(desk.jack == .named("Headset Mic Jack"))
        #expect(desk.setup.type == .unimag)
        #expect(desk.setup.rate == 44_100)
        #expect(desk.setup.remembersAutodetect)
        #expect(desk.setup.gain == 70 && desk.gainMixer == ["Mic", "Internal Mic"])
        let options = desk.setup.options
        #expect(!options.activateOnAttach && !options.volumeToMax && !options.alwaysAcceptSwipe)
        #expect(options.swipeTimeout == .seconds(3) && options.promptTimeout == .seconds(5))
        #expect(options.activateWithoutPrompting)
        #expect(options.prompts.activation == "Kopfhörer weg?")
        #expect(options.prompts.initializing == "")
        #expect(options.prompts.timeout == PromptTexts().timeout)
        #expect(options.profiles.map(\.baud) == [2_400])
        let virtual = try #require(configuration.virtualAudio.first)
        #expect([virtual.sink, virtual.jack, virtual.volume] == ["/tmp/played", "/tmp/jack", "/tmp/volume"])
        #expect(virtual.microphone == "/tmp/gain" && virtual.setup.gain == nil)
        #expect(virtual.setup.type == .ips)
        #expect(virtual.setup.options == ReaderOptions())
    }

    /// Formats of one's own are read and checked before anything starts.
    @Test func cardFormatsOfOnesOwnAreTakenFromTheirFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "formats-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = "[format club]\nbits = 7\nstart = $\nend = /\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let lines = "[audio-reader a]\ndevice = hw:x\nformats = \(file)\n"
        #expect(try await load(lines).audioReaders.first?.setup.options.cardFormats == text)
        try (text + "bits = many\n").write(toFile: file, atomically: true, encoding: .utf8)
        await #expect {
            _ = try await load(lines)
        } throws: { error in
            "\(error)".hasPrefix(file) && "\(error)".contains("5")
        }
    }

    /// Profiles of one's own before the daemon's for the same kinds, or the one that is named; faults at their line.
    @Test func readsAProfileFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "profiles-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text =
            "[profile mine]\nreader = ips\nbaud = 2400\n[profile other]\nreader = unimag\nbaud = 4800\n"
            + "[profile unimag-2400-16000-48000-1]\ntone = 5000\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let lines = "[audio-reader a]\ndevice = hw:x\nprofile_file = \(file)\n"
        let all = try await load(lines + "type = unimag\n").audioReaders.first?.setup.options
        let uniMag = try #require(all?.profiles(for: .unimag))
        #expect(uniMag.first?.name == "other" && uniMag.first?.baud == 4_800)
        #expect(uniMag.dropFirst().first?.name == "unimag-2400-16000-48000-1")
        #expect(uniMag.filter { $0.name == "unimag-2400-16000-48000-1" }.map(\.tone.frequency) == [5_000])
        #expect(uniMag.dropFirst(2).first?.name == "unimag-9600-48000-48000-1")
        #expect(all?.profiles(for: .ips).map(\.name) == ["mine", "ips"])
        // A kind that the file does not tell of has what its driver has.
        #expect(all?.profiles(for: .ipsEnterprise) == [])
        for type in ["ips", "autodetect", "none"] {
            let named = try await load(lines + "type = \(type)\nprofile = mine\n")
            #expect(named.audioReaders.first?.setup.options.profiles.map(\.name) == ["mine"])
        }
        try (text + "[profile third]\nbaud = fast\n").write(toFile: file, atomically: true, encoding: .utf8)
        await #expect {
            _ = try await load(lines + "type = unimag\n")
        } throws: { error in
            "\(error)".hasPrefix("\(file):10: ")
        }
    }

    @Test(arguments: [
        ("level = info", "{}:1: 'level' stands before the first [section]"),
        (
            "[log\nlevel = info",
            "{}:1: not a section: write [section] or [section name], a name without blanks"
        ),
        ("[log]\nlevel", "{}:2: not a setting: write key = value"),
        ("[log]\n\n# fine\nlevle = info", "{}:4: unknown key 'levle'; known here: level"),
        ("[virtual-hid]\nsource = /x", "{}:1: this section is written [virtual-hid NAME]"),
        ("[log x]\nlevel = info", "{}:1: this section is written [log]"),
        (
            "[log]\nlevel = loud",
            "{}:2: 'loud' does not fit level: write one of: trace, debug, info, notice, warning, error, critical"
        ),
        (
            "[server]\nmax_clients = 0",
            "{}:2: '0' does not fit max_clients: write a whole number from 1 to 65536"
        ),
        (
            "[server]\nsocket_mode = 999",
            "{}:2: '999' does not fit socket_mode: write an octal mode such as 0660"
        ),
        (
            "[server]\nsocket = run",
            "{}:2: 'run' does not fit socket: write a path of at most 107 bytes that begins with /"
        ),
        (
            "[access]\nfull = till managers",
            "{}:2: 'till managers' does not fit full: write group names, user:NAME or *, separated by commas"
        ),
        (
            "[access]\nmasked = ,,",
            "{}:2: ',,' does not fit masked: write group names, user:NAME or *, separated by commas"
        ),
        (
            "[access]\nfull = tills,",
            "{}:2: 'tills,' does not fit full: write group names, user:NAME or *, separated by commas"
        ),
        (
            "\n\n[audio-reader a]\n\ntype = ips\n[audio-reader b]\ndevice = hw:x",
            "{}:3: [audio-reader a] needs a device"
        ),
        (
            "\n[acces]\n#full =",
            "{}:2: unknown section 'acces'; known here: access, audio-reader, cards, hid, keyboard-reader, log, metrics, reader, serial-reader, server, virtual-audio, virtual-hid, virtual-keyboard, virtual-serial"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\n[audio-reader b]\nrate = 44100\ndevice = hw:x",
            "{}:5: [audio-reader a] has the sound card x already"
        ),
        (
            "[audio-reader a]\ndevice = hw:CARD=PCH\n[audio-reader b]\ndevice = plughw:PCH,2",
            "{}:4: [audio-reader a] has the sound card PCH already"
        ),
        (
            "[audio-reader a]\ntype = ips\ndevice = default",
            "{}:3: 'default' names no sound card: write hw:CARD=NAME, as arecord -l lists them"
        ),
        (
            "[audio-reader a]\ndevice = plug:jack",
            "{}:2: 'plug:jack' names no sound card: write hw:CARD=NAME, as arecord -l lists them"
        ),
        ("[log]\nlevel = in\0fo", "{}:2: a control character (U+0) stands in it"),
        ("[log]\n# \u{1B}[2J", "{}:2: a control character (U+1B) stands in it"),
        ("[virtual-hid a]\ndevice = 0801:0011", "{}:1: [virtual-hid a] needs a source"),
        (
            "[virtual-hid a]\nsource = /x\ndevice = magtek",
            "{}:3: 'magtek' is not a device: write VENDOR:PRODUCT in hex, as 0801:0011"
        ),
        ("[virtual-hid a]\n# source = /x\n[log]\nlevel = info", "{}:1: [virtual-hid a] has nothing in it"),
        ("[audio-reader a]", "{}:1: [audio-reader a] has nothing in it"),
        ("[log]\nlevel = info\nlevel = debug", "{}:3: 'level' stands in line 2 already"),
        ("[server]\nsocket_group = no-such-group", "{}:2: this system has no group 'no-such-group'"),
        (
            "[audio-reader a]\ndevice = hw:x\nswipe_timeout_s = 2",
            "{}:3: '2' does not fit swipe_timeout_s: write a whole number from 3 to 20"
        ),
        (
            "[audio-reader a]\nswipe_timeout_s = 21\ndevice = hw:x",
            "{}:2: '21' does not fit swipe_timeout_s: write a whole number from 3 to 20"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\ngain = 101",
            "{}:3: '101' does not fit gain: write a whole number from 0 to 100, or nothing"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\nprompt_timeout_s = 0",
            "{}:3: '0' does not fit prompt_timeout_s: write a whole number from 1 to 600"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\ntype = idynamo",
            "{}:3: 'idynamo' does not fit type: write one of: none, autodetect, ips_enterprise, ips, unimag, passive"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\nvolume_to_max = maybe",
            "{}:3: 'maybe' does not fit volume_to_max: write yes or no"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\nprofile_file = mine",
            "{}:3: 'mine' does not fit profile_file: write a path that begins with /, or nothing"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\nformats = /nonexistent/club",
            "{}:3: /nonexistent/club: it cannot be read: No such file or directory (errno 2)"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\ntype = ips\nprofile = unimag-2400-16000-48000-1",
            "{}:4: 'unimag-2400-16000-48000-1' is for a reader of type unimag, and type is ips"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\nprofile = ips",
            "{}:3: 'ips' is for a reader of type ips, and type is passive"
        ),
        (
            "[audio-reader a]\ndevice = hw:x\nprofile_file = /nonexistent/mine",
            "{}:3: /nonexistent/mine: it cannot be read: No such file or directory (errno 2)"
        ),
        (
            "[audio-reader a/b]\ndevice = hw:x",
            "{}:1: 'a/b' is not a name: use up to 32 letters, digits, '-' and '_'"
        ),
    ])
    func refuses(_ text: String, saying line: String) async throws {
        await #expect {
            _ = try await load(text)
        } throws: { error in
            "\(error)" == line
        }
    }

    /// As editors of other systems write it.
    @Test(arguments: ["[log]\r\nlevel = debug\r\n", "\u{FEFF}[log]\nlevel = debug\n"])
    func takesOtherSystemsLines(_ text: String) async throws {
        #expect(try await load(text).logLevel == .debug)
    }

    /// A second daemon, on a socket of its own, leaves the installed one's figures alone.
    @Test func anotherSocketMeansNoMetricsUnlessNamed() async throws {
        let none = "/nonexistent/swiped.conf"
        let usual = try ConfigurationLoader.load(path: none, isRequired: false)
        #expect(usual.metrics.path == "/run/swiped/metrics.prom")
        let beside = try ConfigurationLoader.load(path: none, isRequired: false, socketPath: "/tmp/s")
        #expect(beside.metrics.path == nil)
        #expect([usual, beside].map(\.server.stateFolder) == ["/var/lib/swiped", "/tmp"])
        #expect(try await load("[metrics]\nfile = /tmp/m.prom\n").metrics.path == "/tmp/m.prom")
    }
}
