/// What is wrong with the machine, the daemon, the way to it and its configuration.
extension Diagnosis {
    /// 1 January 2025, before which nobody runs this.
    private static let earliestClock = 1_735_689_600

    static func machine(_ facts: Facts) -> [Finding] {
        var found: [Finding] = []
        if !facts.machine.hasProc {
            found.append(
                Finding(
                    .noProc, seen: ["/proc has no 'self'"],
                    cause: "Programs that begin threads need /proc, in a chroot too.",
                    do: ["sudo mount -t proc proc /proc"]))
        }
        if facts.machine.clock < earliestClock {
            found.append(
                Finding(
                    .clock, seen: ["it says \(facts.machine.clock) seconds since 1970"],
                    cause:
                        "Every event has a time of years ago. The machine has no clock that runs on, and no time server told it.",
                    do: ["sudo timedatectl set-ntp true"]))
        }
        if !facts.machine.powerComplaints.isEmpty {
            found.append(
                Finding(
                    .lowPower, seen: facts.machine.powerComplaints,
                    cause: "A reader on such a port comes and goes.",
                    do: ["# take a better power supply, or a hub with one of its own"]))
        }
        return found
    }

    static func daemon(_ facts: Facts) -> [Finding] {
        switch facts.daemon.answer {
        case .roles, .forbidden, .noRole: []
        case .silence:
            [
                Finding(
                    .daemonSilent,
                    seen: ["something listens at \(facts.daemon.socketPath) and does not answer"]
                        + stopped(facts.daemon).map { "process \($0) is stopped" },
                    cause: facts.daemon.isStopped
                        ? "Somebody stopped it, with Ctrl-Z or a signal."
                        : "It hangs, or it is not the daemon.",
                    do: stopped(facts.daemon).map { "sudo kill -CONT \($0)" }
                        + (facts.daemon.isStopped
                            ? [] : ["systemctl status swiped", "sudo systemctl restart swiped"]))
            ]
        case .none: [elsewhere(facts) ?? absentDaemon(facts)]
        }
    }

    private static func stopped(_ daemon: DaemonFacts) -> [Int] {
        daemon.isStopped ? [daemon.process].compactMap(\.self) : []
    }

    /// A daemon listens, and not where it was looked for: by its configuration, or as it was told.
    private static func elsewhere(_ facts: Facts) -> Finding? {
        let daemon = facts.daemon
        let configured = facts.configuration.socket
        if let process = daemon.process, let configured, configured != daemon.socketPath {
            return Finding(
                .socketLost,
                seen: ["\(daemon.configurationPath): socket = \(configured)", "process \(process) runs"],
                cause: "It listens there, and not at \(daemon.socketPath).",
                do: [
                    "swipectl doctor --socket \(inShell(configured))",
                    "# or for all commands: export SWIPED_SOCKET=\(inShell(configured))",
                ])
        }
        guard daemon.process == nil, daemon.unit == nil,
            let other = daemon.others.min(by: { $0.value < $1.value })
        else { return nil }
        return Finding(
            .socketLost, seen: ["process \(other.value) was told to listen at \(other.key)"],
            cause: "Nothing listens at \(daemon.socketPath).",
            do: [
                "swipectl doctor --socket \(inShell(other.key))",
                "# or for all commands: export SWIPED_SOCKET=\(inShell(other.key))",
            ])
    }

    private static func absentDaemon(_ facts: Facts) -> Finding {
        let daemon = facts.daemon
        guard daemon.isInstalled else {
            return Finding(
                .notInstalled,
                seen: ["there is no /usr/sbin/swiped, and nothing listens at \(daemon.socketPath)"],
                cause: "The package is missing, or the daemon is elsewhere and listens elsewhere.",
                do: [
                    "sudo apt install swiped  # or a package that was built: README.md",
                    "# or name its socket: swipectl doctor --socket PATH, or $SWIPED_SOCKET",
                ])
        }
        let words = facts.configuration.faults
        let isDown = daemon.unit.map { $0.state != "active" } ?? (daemon.process == nil)
        if daemon.unit?.state == "failed" || isDown && !words.isEmpty {
            let state = daemon.unit.map { "swiped.service is \($0.state)" } ?? "no process is called swiped"
            return Finding(
                .daemonFailed, seen: [state] + words,
                cause: words.isEmpty
                    ? "Its last lines in the journal say why." : "Its configuration is not valid.",
                do: words.isEmpty
                    ? ["sudo journalctl -u swiped -n 20", "sudo systemctl restart swiped"]
                    : ["sudo swiped --check-config", mended(daemon.unit)])
        }
        if daemon.unit?.state == "active" || daemon.unit == nil && daemon.process != nil {
            return Finding(
                .socketLost,
                seen: [
                    "the daemon runs, and \(daemon.socketPath) is \(daemon.hasSocketFile ? "not its socket" : "not there")"
                ],
                cause: "Somebody deleted the socket's file, or the daemon listens elsewhere.",
                do: ["sudo systemctl restart swiped.socket"])
        }
        let state = daemon.unit.map {
            "swiped.service is \($0.state), swiped.socket is \($0.socketState)"
        }
        return Finding(
            .daemonDown, seen: [state ?? "no process is called swiped"],
            cause: "Nothing listens at \(daemon.socketPath).",
            do: facts.daemon.unit == nil ? ["sudo swiped"] : ["sudo systemctl enable --now swiped.socket"]
        )
    }

    static func access(_ facts: Facts) -> [Finding] {
        switch facts.daemon.answer {
        case .none, .silence: []
        case .forbidden: [forbidden(facts)]
        case .noRole:
            [
                Finding(
                    .noRole, seen: ["the socket lets you in, and the daemon refuses you"],
                    cause:
                        "No line under [access] of \(facts.daemon.configurationPath) names you or a group of yours.",
                    do: ["sudoedit \(facts.daemon.configurationPath)", "sudo systemctl reload swiped"])
            ]
        case .roles(let roles):
            roles.isDisjoint(with: ["masked", "full"])
                ? [
                    Finding(
                        .statusOnly, seen: ["your roles: \(roles.sorted().joined(separator: ", "))"],
                        cause: "You see that a card is swiped, and nothing of the card.",
                        do: [
                            "sudoedit \(facts.daemon.configurationPath)  # [access]: your group under masked",
                            "sudo systemctl reload swiped",
                        ])
                ] : []
        }
    }

    private static func forbidden(_ facts: Facts) -> Finding {
        let folder = facts.daemon.socketPath.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        guard facts.daemon.isSocketInSight else {
            return Finding(
                .groupMissing, seen: ["\(facts.daemon.socketPath): a folder on the way does not let you in"],
                cause: "Who cannot look into that folder cannot ask the daemon.",
                do: [
                    "namei -l \(inShell(folder))",
                    "sudo swipectl doctor --socket \(inShell(facts.daemon.socketPath))",
                ])
        }
        let group = facts.daemon.socketGroup ?? "swiped"
        // To be in that group is to be nearly root.
        guard group != "root" else {
            return Finding(
                .groupMissing, seen: ["\(facts.daemon.socketPath) is root's alone"],
                cause: "No group may ask the daemon.",
                do: (facts.user.groupsOfSystem.contains("swiped") ? [] : ["sudo groupadd --system swiped"])
                    + [
                        "# [server]: socket_group = swiped",
                        "sudo systemctl restart swiped",
                        "sudo usermod --append --groups swiped \"$USER\"", "# then log in again",
                    ])
        }
        guard facts.user.groupsFromNextLogin.contains(group), !facts.user.groups.contains(group) else {
            return Finding(
                .groupMissing,
                seen: ["\(facts.daemon.socketPath) is for the group \(group), and you are not in it"],
                cause: "Only members may ask the daemon.",
                do: ["sudo usermod --append --groups \(group) \"$USER\"", "# then log in again"])
        }
        return Finding(
            .groupNotYet, seen: ["you are a member of \(group), and this session is not"],
            cause: "A group holds from the next login on.",
            do: ["newgrp \(group)", "# or log out and in again"])
    }

    /// Only a unit that failed is started by the mending itself (swiped-mended.path).
    private static func mended(_ unit: DaemonFacts.Unit?) -> String {
        switch unit?.state {
        case "failed": "# mend what it says: the daemon starts by itself then"
        case nil: "# mend what it says, and start the daemon again"
        case _: "# mend what it says, then: sudo systemctl start swiped"
        }
    }

    static func configuration(_ facts: Facts) -> [Finding] {
        guard facts.daemon.process != nil, let changed = facts.configuration.changedAt else {
            return []
        }
        // Of a daemon that is not the unit's, nobody tells when it read its files last.
        let loaded = facts.daemon.unit?.changedAt.map { max($0, facts.daemon.startedAt ?? 0) }
        // What changed in the future says that the clock went back, and nothing of the file.
        if let loaded, changed > loaded, changed <= facts.machine.clock {
            return [
                Finding(
                    .notLoaded,
                    seen: ["it was changed \(changed - loaded) s after the daemon read it"]
                        + facts.configuration.faults,
                    cause: "What was changed is not in force.",
                    do: reloading(facts.daemon))
            ]
        }
        guard facts.daemon.needsRestart else { return [] }
        return [
            Finding(
                .needsRestart,
                seen: ["the daemon said so when it loaded its configuration (daemon.reload_partial)"],
                cause: "Changes of [server], [cards] and [metrics] take effect at the next start.",
                do: [
                    facts.daemon.unit == nil
                        ? "# end the daemon and start it again" : "sudo systemctl restart swiped"
                ])
        ]
    }

    private static func reloading(_ daemon: DaemonFacts) -> [String] {
        let path = daemon.configurationPath
        let file = path == DaemonFacts().configurationPath ? "" : " --config \(inShell(path))"
        return ["sudo swiped --check-config\(file)", "sudo systemctl reload swiped"]
    }

    /// Nothing is there that could be a reader.
    static func absence(_ facts: Facts) -> [Finding] {
        let configured = facts.configuration
        let isConfigured =
            configured.isUnreadable || !configured.audio.isEmpty || !configured.serial.isEmpty
            || !configured.pipes.isEmpty
        guard facts.devices.isEmpty, facts.readers.isEmpty, facts.unused.isEmpty, !isConfigured else {
            return []
        }
        if let container = facts.machine.container {
            return [
                Finding(
                    .container, seen: ["this is a \(container) container, and no reader is in it"],
                    cause: "Plugging in is not told inside of a container.",
                    do: [
                        "# run the daemon on the machine, and give the container its folder: --volume /run/swiped:/run/swiped"
                    ])
            ]
        }
        if let machine = facts.machine.virtualMachine {
            return [
                Finding(
                    .virtualMachine, seen: ["this is a virtual machine (\(machine)), and no reader is in it"],
                    cause: "The reader is plugged into the host, which keeps it.",
                    do: ["# pass the reader's USB device on to this machine, in the settings of \(machine)"])
            ]
        }
        return [
            Finding(
                .noReader,
                seen: [
                    "no hidraw device is a reader's, and the configuration names no sound card and no line"
                ],
                cause:
                    "It is the cable, the port or the reader; or it is at a sound card or a line, which the configuration has to name.",
                do: ["lsusb  # with the reader plugged in and without", "sudo journalctl -k -n 20"])
        ]
    }
}
