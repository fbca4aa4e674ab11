import Diagnosis
import Glibc
import SectionFiles

/// The daemon, who asks it, and its configuration.
extension Inspection {
    private static let maximumConfiguration = 1_048_576

    func daemon(socketPath: String) -> DaemonFacts {
        var daemon = DaemonFacts()
        daemon.socketPath = socketPath
        let socket = tree.status(socketPath)
        daemon.hasSocketFile = socket != nil
        daemon.isSocketInSight = socket != nil || tree.isAbsent(socketPath)
        daemon.socketGroup = socket.flatMap { groupNames(of: [$0.group]).first }
        daemon.isInstalled = tree.exists("/usr/sbin/swiped")
        let service = show("swiped.service")
        daemon.process = process(listeningAt: socketPath, main: service.flatMap(mainProcess))
        daemon.unit = service.flatMap { unit($0, of: daemon.process) }
        daemon.others = otherDaemons(than: socketPath)
        if let process = daemon.process {
            daemon.isStopped =
                tree.text("/proc/\(process)/stat")?.split(separator: ")").last?.hasPrefix(" T") == true
            let status = Settings(tree.lines("/proc/\(process)/status"), separator: ":")
            daemon.uid = numbers(status["Uid"]).first
            daemon.groups = Set(numbers(status["Groups"]) + numbers(status["Gid"]))
            daemon.startedAt = start(of: process)
            if let path = configurationPath(of: process) { daemon.configurationPath = path }
        } else {
            // Who it will be, by the package's name for it.
            daemon.uid = accounts().first { $0[0] == "swiped" }.flatMap { UInt32($0[2]) }
        }
        daemon.needsRestart = daemon.process.map(hasSaidPartial) ?? false
        return daemon
    }

    private func mainProcess(_ service: Settings) -> Int? { service["MainPID"].flatMap { Int($0) } }

    /// Nil also beside a daemon that somebody started by hand: the unit's words are not about that one.
    private func unit(_ service: Settings, of process: Int?) -> DaemonFacts.Unit? {
        guard service["LoadState"] == "loaded" else { return nil }
        if let process, let main = mainProcess(service), main != process { return nil }
        let changed = service["StateChangeTimestamp"].flatMap {
            $0.first == "@" ? Int($0.dropFirst()) : nil
        }
        return DaemonFacts.Unit(
            state: service["ActiveState"] ?? "unknown",
            socketState: show("swiped.socket")?["ActiveState"] ?? "unknown",
            changedAt: changed)
    }

    func show(_ unit: String) -> Settings? {
        let properties = "LoadState,ActiveState,StateChangeTimestamp,MainPID"
        let said = run(["systemctl", "show", unit, "--timestamp=unix", "-p", properties])
        guard let said, said.status == 0 else { return nil }
        return Settings(said.output.split(separator: "\n").map(String.init))
    }

    /// The last word of its reloads. By its number: when it began is known to the second, and the one before may have said it in that second.
    private func hasSaidPartial(_ process: Int) -> Bool {
        let said = run([
            "journalctl", "-q", "-b", "-n", "1", "-o", "cat", "-u", "swiped", "_PID=\(process)",
            "SWIPED_EVENT=daemon.reload", "SWIPED_EVENT=daemon.reload_partial",
        ])
        return said.map { $0.status == 0 && $0.output.contains("[server]") } ?? false
    }

    /// When a process began, as /proc/PID/stat tells it: its 22nd field, in ticks since the start of the machine.
    private func start(of process: Int) -> Int? {
        let fields = (tree.text("/proc/\(process)/stat") ?? "").split(separator: ")").last?.split(
            separator: " ")
        let boot = Settings(tree.lines("/proc/stat"), separator: " ")["btime"].flatMap { Int($0) }
        guard let fields, fields.count > 19, let ticks = Int(fields[19]), let boot else { return nil }
        return boot + ticks / max(1, sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The daemon that was told to listen there (`--socket`), else one that was not told where: the unit's, where that is among them.
    /// Another one is not asked about.
    private func process(listeningAt socket: String, main: Int?) -> Int? {
        let daemons = processes().filter { tree.text("/proc/\($0)/comm") == "swiped" }
        let untold = daemons.filter { said("--socket", to: $0) == nil }
        return daemons.first { said("--socket", to: $0) == socket } ?? untold.first { $0 == main }
            ?? untold.first
    }

    /// Those that were told to listen elsewhere.
    private func otherDaemons(than socket: String) -> [String: Int] {
        var found: [String: Int] = [:]
        for process in processes() where tree.text("/proc/\(process)/comm") == "swiped" {
            if let path = said("--socket", to: process), path != socket { found[path] = process }
        }
        return found
    }

    /// What follows an option on a process's command line.
    private func said(_ option: String, to process: Int) -> String? {
        let words = (tree.text("/proc/\(process)/cmdline") ?? "").split(separator: "\0").map(String.init)
        let joined = words.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
        return joined ?? words.lastIndex(of: option).flatMap { words.dropFirst($0 + 1).first }
    }

    /// The file that a daemon was told to read.
    private func configurationPath(of process: Int) -> String? {
        guard let path = said("--config", to: process), !path.hasPrefix("/") else {
            return said("--config", to: process)
        }
        // Whose link cannot be read, has files that cannot be read either: it is not the system's file then.
        return "\(tree.link("/proc/\(process)/cwd") ?? "/proc/\(process)/cwd")/\(path)"
    }

    /// Whether it says something that the daemon could not say itself: it does not run, or has not read what is there now.
    private func isUnread(_ facts: ConfigurationFacts, by daemon: DaemonFacts) -> Bool {
        guard daemon.configurationPath == DaemonFacts().configurationPath else { return false }
        if let unit = daemon.unit, unit.state != "active" { return true }
        guard daemon.process != nil else { return daemon.unit == nil && daemon.isInstalled }
        guard let changed = facts.changedAt, let loaded = daemon.unit?.changedAt ?? daemon.startedAt else {
            return false
        }
        return changed > loaded
    }

    func processes() -> [Int] { tree.names(in: "/proc").compactMap { Int($0) }.sorted() }

    private func numbers(_ text: String?) -> [UInt32] {
        (text ?? "").split { $0 == " " || $0 == "\t" }.compactMap { UInt32($0) }
    }

    func user() -> UserFacts {
        var user = UserFacts()
        let status = Settings(tree.lines("/proc/self/status"), separator: ":")
        let uid = numbers(status["Uid"]).first
        user.isRoot = uid == 0
        user.groups = Set(groupNames(of: Set(numbers(status["Groups"]) + numbers(status["Gid"]))))
        user.groupsOfSystem = Set(groups().map { $0[0] })
        let name = accounts().first { UInt32($0[2]) == uid }?[0]
        if let name {
            user.groupsFromNextLogin = Set(
                groups().filter { $0[3].split(separator: ",").contains(Substring(name)) }.map { $0[0] })
        }
        return user
    }

    private func fields(_ line: String) -> [String] {
        line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    /// The lines of /etc/passwd: name, password, number and more.
    private func accounts() -> [[String]] { tree.lines("/etc/passwd").map(fields).filter { $0.count > 3 } }

    /// The lines of /etc/group: name, password, number, members.
    private func groups() -> [[String]] {
        tree.lines("/etc/group").map(fields).filter { $0.count == 4 }
    }

    private func groupNames(of numbers: Set<UInt32>) -> [String] {
        groups().filter { UInt32($0[2]).map(numbers.contains) == true }.map { $0[0] }
    }

    func configuration(_ cards: [SoundCardFacts], daemon: DaemonFacts) -> ConfigurationFacts {
        var facts = ConfigurationFacts()
        let main = daemon.configurationPath
        let dropIns = tree.names(in: main + ".d").filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
        let files = [main] + dropIns.map { "\(main).d/\($0)" }
        facts.changedAt = files.compactMap { tree.status($0)?.changedAt }.max()
        for (words, entries) in sections(files) { add(words, entries, cards, to: &facts) }
        // Who may not read a file would be told that it is not valid.
        facts.isUnreadable = files.contains { tree.text($0) == nil && !tree.isAbsent($0) }
        if !facts.isUnreadable, isUnread(facts, by: daemon),
            let checked = run(["/usr/sbin/swiped", "--check-config"]), checked.status != 0
        {
            facts.faults = checked.output.split(separator: "\n").map(String.init)
        }
        return facts
    }

    /// A section may stand in several files; of two values of a key the later one holds, as for the daemon.
    private func sections(_ files: [String]) -> [(words: [String], entries: [SectionEntry])] {
        var sections: [(words: [String], entries: [SectionEntry])] = []
        for file in files {
            let read = SectionFile(
                reading: tree.text(file) ?? "", form: .any, maximumBytes: Self.maximumConfiguration)
            for section in read.sections {
                if let known = sections.firstIndex(where: { $0.words == section.words }) {
                    sections[known].entries += section.entries
                } else {
                    sections.append((section.words, section.entries))
                }
            }
        }
        return sections
    }

    private func add(
        _ words: [String], _ entries: [SectionEntry], _ cards: [SoundCardFacts],
        to facts: inout ConfigurationFacts
    ) {
        let name = words.joined(separator: " ")
        let device = entries.last { $0.key == "device" }?.value ?? ""
        switch words.first {
        case "audio-reader":
            guard entries.last(where: { $0.key == "type" })?.value != "none", !device.isEmpty
            else {
                return
            }
            let card = Self.card(device)
            facts.audio.append(
                .init(
                    name: name, device: card,
                    isThere: cards.contains { $0.id == card || "\($0.index)" == card }))
        case "serial-reader":
            guard !device.isEmpty else { return }
            let real = tree.real(device)
            facts.serial.append(.init(name: name, device: real ?? device, isThere: real != nil))
        case "virtual-hid", "virtual-audio", "virtual-serial", "virtual-keyboard":
            let pipe = entries.last { $0.key == "source" }?.value ?? ""
            guard !pipe.isEmpty else { return }
            facts.pipes.append(.init(name: name, device: pipe, isThere: !tree.isAbsent(pipe)))
        case "keyboard-reader":
            let ids = entries.last { $0.key == "keyboard" }?.value ?? ""
            facts.keyboards.insert(ids.lowercased())
        case "hid":
            if let choice = entries.last(where: { $0.key == "keyboard_readers" }) {
                facts.takesKnownKeyboards = choice.value == "known"
            }
            let isOff = entries.last { $0.key == "enabled" }.map { Self.off.contains($0.value) }
            if let isOff { facts.looksForHID = !isOff }
        case "server":
            if let socket = entries.last(where: { $0.key == "socket" }) { facts.socket = socket.value }
        case _: break
        }
    }

    /// A flag's words for no.
    private static let off: Set<String> = ["no", "false", "off", "0"]

    /// The card that an ALSA device names: `Headset` of `hw:CARD=Headset,DEV=0`, `1` of `plughw:1,0`.
    private static func card(_ device: String) -> String {
        let rest = device.split(separator: ":", maxSplits: 1).last ?? ""
        let first = rest.split(separator: ",").first ?? ""
        return String(first.hasPrefix("CARD=") ? first.dropFirst(5) : first)
    }
}
