import Foundation
import Testing

/// What the pages tell people to type, typed: beside a daemon with virtual readers, in its folder.
@Suite(.serialized) struct DocumentedCommandTests {
    /// Commands that are not run here, by how they begin ($: the whole of one), and why. Ours among them are looked up in `--help`, which
    /// `DocumentedExampleTests` does.
    private static let notRun = [
        ("swipectl audio probe", "needs a sound card; AudioProbeTests runs it on one of software"),
        ("swipectl decode$", "a name in a sentence"), ("swipectl synth$", "the same"),
        ("swipectl get$", "a name in a sentence; SettingsTests runs it"),
        ("swipectl simulate$", "a name in a sentence"),
        ("swipectl doctor READER", "no reader has that name; DoctorCommandTests asks about one"),
        ("swipectl simulate --socket my-daemon", "needs the second daemon that its sentence starts"),
        ("swipectl record$", "a name in a sentence; RecordCommandTests runs it"),
        ("swipectl quality$", "a name in a sentence"),
        ("swipectl quality --live READER", "no reader has that name; QualityCommandTests asks about one"),
        ("swipectl record /dev/", "needs a reader; RecordCommandTests runs it"),
        ("sudo swipectl record /dev/", "needs a reader; RecordCommandTests runs it"),
        ("swipectl replay$", "a name in a sentence; RecordCommandTests runs it"),
        ("swipectl contribute$", "a name in a sentence; RecordCommandTests runs it"),
        ("swipectl shell$", "asks a person; ShellCommandTests types into it"),
        ("swipectl meter", "fills a terminal; MeterCommandTests runs it in one"),
        ("swipectl decode [", "a synopsis"),
        ("swipectl decode --serial", "needs bytes of a line; DecodeSerialTests runs it"),
        ("scripts/", "what CI runs itself, or a build of minutes"),
        ("SWIPED_BENCHES=1 swift build", "a build of minutes"),
        (".build/release/", "needs a release build, and minutes"),
        ("Benchmarks/", "needs a release build, and minutes"),
        ("swipectl web", "needs the gateway; SwipedWebTests and scripts/test-browsers run it"),
        ("sudo swipectl web", "the same"),
        ("swiped-mqtt --check-config", "needs a broker's name; SwipedMQTTTests check configurations"),
        ("sudoedit", "asks a person"),
        ("sudo apt", "changes the machine"),
        ("sudo usermod", "changes the machine"),
        ("sudo modprobe", "changes the machine; the container's scenario in the virtual machine does it"),
        ("sudo install", "the same"), ("sudo podman", "the same"), ("sudo mkdir", "changes the machine"),
        (
            "swiped-mqtt --print-drop-in |",
            "changes the machine; the broker's scenario in the virtual machine uses it"
        ),
        ("sudo systemctl", "needs the service; the scenarios in the virtual machine use it"),
        ("sudo udevadm", "needs a reader on USB"),
        ("udevadm test", "needs a reader on USB"),
        ("sudo fuser", "needs a reader on USB"),
        ("ls -l /dev/hidraw", "needs a reader on USB"),
        ("journalctl", "needs systemd's journal"),
        ("ln -s /run/swiped/metrics.prom", "needs the node exporter's folder"),
        ("arecord -D hw:", "needs a sound card"),
    ]

    /// The programs that a block of commands begins with.
    private static var programs: Regex<Substring> {
        /(?:sudo |swipectl |swiped -|scripts\/|SWIPED_BENCHES=1 swift |\.build\/|mkfifo |journalctl |ls |ln |arecord |udevadm ).*/
    }

    /// Every line of every such block, and every span of ours in a text, each once, in the order of the pages.
    static let commands: [String] = {
        let blocks = PageBlocks.blocks.map { block in
            block.text.replacing(#/\\\n */#, with: "").split(separator: "\n").map {
                String($0.trimmingCharacters(in: .whitespaces).replacing(#/ +# .*$/#, with: ""))
            }
        }
        let lines = blocks.filter { $0.first?.prefixMatch(of: programs) != nil }.flatMap(\.self)
        let spans = PageBlocks.pages.flatMap { page in
            page.text.matches(of: /`((?:sudo )?(?:swipectl |swiped -|scripts\/)[^`\n]*)`/).map {
                String($0.1)
            }
        }
        var seen: Set<String> = []
        return (lines + spans).filter { seen.insert($0).inserted }
    }()

    private static func isRun(_ command: String) -> Bool {
        !notRun.contains { "\(command)$".hasPrefix($0.0) }
    }

    /// What has to come from the daemon before a command has done what its page says.
    private static let effects = ["mkfifo ": "ready", "cat ": "swipe", "rm ": "disconnect"]

    private static let configuration = """
        [access]
        masked = *
        admin = *
        [virtual-hid till]
        source = {}/reports
        [virtual-audio door]
        source = {}/head
        [metrics]
        file =

        """

    @Test(.timeLimit(.minutes(10))) func theCommandsDoWhatTheySay() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        let observer = try prepare(daemon)
        for command in Self.commands where Self.isRun(command) {
            if command.hasPrefix("arecord ") || command == "swipectl watch" { continue }
            let ended = try FinishedProgram(
                shell(command, daemon), environment: environment(daemon), limit: 120)
            // The pipe of the sound input is made by a later command, and the doctor misses it.
            let status: Int32 = command.contains("swipectl doctor") ? 1 : 0
            #expect(ended.status == status, "\(command): \(ended.output)\(ended.errors)")
            if status == 1 { #expect(ended.output.contains("pipe is not there"), "\(command)") }
            if let effect = Self.effects.first(where: { command.hasPrefix($0.key) })?.value {
                let lines = try observer.lines(through: "\"event\":\"\(effect)\"")
                #expect(lines.last?.contains("virtual-door") == true, "\(command)")
            } else if command.contains("swipectl"), !command.contains("log-level") {
                #expect(!ended.output.isEmpty, "\(command)")
            }
        }
    }

    /// It goes on until somebody ends it.
    @Test(.timeLimit(.minutes(5))) func theWatchingShowsTheReader() throws {
        #expect(Self.commands.contains("swipectl watch"))
        let daemon = try DaemonUnderTest(Self.configuration)
        let observer = try prepare(daemon)
        let watch = try RunningProgram(shell("swipectl watch", daemon), environment: environment(daemon))
        #expect(watch.firstLine().contains("virtual-till"))
        watch.stop()
        withExtendedLifetime(observer) {}
    }

    /// The lines for `~/.asoundrc`, with the library where the build left it, and what is recorded through them.
    @Test(.timeLimit(.minutes(5))) func theRecordingHasTheSwipe() throws {
        let command = try #require(Self.commands.first { $0.hasPrefix("arecord -D head") })
        let page = try #require(PageBlocks.pages.first { $0.name == "docs/devices.md" })
        let lines = page.text.split(separator: "\n").filter { $0.contains(/^    (?:pcm|ctl)[_.]/) }
        #expect(lines.count >= 4)
        let daemon = try DaemonUnderTest(Self.configuration)
        let observer = try prepare(daemon)
        let library = BuiltProgram.path("libasound_module_pcm_swiped.so").path
        try lines.joined(separator: "\n").replacing(
            "/run/swiped-demo/head", with: "\(daemon.folder.path)/heard"
        )
        .replacing("/usr/lib/swiped/libasound_module_pcm_swiped.so", with: library)
        .write(to: daemon.folder.appending(path: ".asoundrc"), atomically: true, encoding: .utf8)
        _ = daemon.makePipe("heard")
        let recording = try RunningProgram(shell(command, daemon), environment: environment(daemon))
        let written = try FinishedProgram(
            shell("sh -c 'cat swipe.wav > heard'", daemon), environment: environment(daemon), limit: 60)
        #expect(written.status == 0, "nobody listens")
        let heard = daemon.folder.appending(path: "heard.wav")
        let enough = Self.swipe.count * 2
        let deadline = ContinuousClock.now + .seconds(60)
        while (try? heard.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0 < enough, .now < deadline {
            usleep(5_000)
        }
        recording.stop()
        _ = recording.status()
        let decoded = try FinishedProgram(
            shell("swipectl decode heard.wav", daemon), environment: environment(daemon), limit: 120)
        #expect(decoded.output.contains("426684******9999"), "\(decoded.output)\(decoded.errors)")
        withExtendedLifetime(observer) {}
    }

    /// A command that is run is none of those that are not, and each of these is still on a page.
    @Test func theListOfThoseNotRunIsShort() {
        #expect(Self.commands.count { Self.isRun($0) } >= 12)
        for (beginning, why) in Self.notRun {
            #expect(Self.commands.contains { "\($0)$".hasPrefix(beginning) }, "\(beginning): \(why)")
        }
    }

    // MARK: The place

    /// A recording of a swipe.
    private static let swipe =
        (try? SoundFixture.swipe(SoundFixture.track2)).map { SoundFixture.wav([$0]) } ?? Data()

    /// Whoever runs the tests is root already. Only our own programs are run so: anything else may change the machine.
    private static let sudo = #"""
        case $1 in swipectl|swiped) exec "$@" ;; esac
        echo "not run here: add it to 'notRun', with a reason" >&2; exit 1
        """#

    /// What the pages take for given: recordings and captures, a reader that is there, `sudo`.
    private func prepare(_ daemon: DaemonUnderTest) throws -> LineClient {
        let folder = daemon.folder
        for name in ["swipe.wav", "FILE.wav", "FILE"] {
            try Self.swipe.write(to: folder.appending(path: name))
        }
        try Data(try VirtualSwipes.publishedReport()).write(to: folder.appending(path: "CAPTURE"))
        let programs = folder.appending(path: "bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        for (name, line) in [
            ("sudo", Self.sudo), ("swipectl", #"exec \#(BuiltProgram.path("swipectl").path) "$@""#),
            (
                "swiped",
                #"exec \#(BuiltProgram.path("swiped").path) --config "\#(folder.path)/swiped.conf" "$@""#
            ),
        ] {
            let file = programs.appending(path: name).path
            try "#!/bin/sh\n\(line)\n".write(toFile: file, atomically: true, encoding: .utf8)
            chmod(file, 0o755)
        }
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        return observer
    }

    private func environment(_ daemon: DaemonUnderTest) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return [
            "SWIPED_SOCKET": daemon.socket, "HOME": daemon.folder.path,
            "PATH": "\(daemon.folder.path)/bin:\(path)",
        ]
    }

    /// The command in the daemon's folder, with what the page leaves open filled in.
    private func shell(_ command: String, _ daemon: DaemonUnderTest) -> [String] {
        let filled = command.replacing("/run/swiped-demo", with: daemon.folder.path)
            .replacing("--hid FILE", with: "--hid CAPTURE").replacing(/\bID\b/, with: "virtual-till")
        return ["sh", "-c", "cd '\(daemon.folder.path)' && exec \(filled)"]
    }
}
