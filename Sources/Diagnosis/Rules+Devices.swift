/// What is wrong with devices and with what the daemon makes of them.
extension Diagnosis {
    static func devices(_ facts: Facts) -> [Finding] {
        off(facts)
            + facts.devices.flatMap { device -> [Finding] in
                switch device.kind {
                case .unsupported(let model, let advice):
                    isTaken(device, facts.configuration) ? [] : [left(device, model, advice)]
                case .unlisted: [unlisted(device)]
                case .driven(let model): driven(device, model, facts)
                }
            } + lines(facts) + pipes(facts)
    }

    /// Readers that are there, and a configuration that has the daemon look for none.
    private static func off(_ facts: Facts) -> [Finding] {
        let driven = facts.devices.filter { if case .driven = $0.kind { true } else { false } }
        guard !facts.configuration.looksForHID, !driven.isEmpty else { return [] }
        return [
            Finding(
                .hidOff, seen: ["[hid] enabled = no"] + driven.map { "\($0.node), \($0.ids)" },
                cause: "The daemon looks for no USB or Bluetooth reader.",
                do: [
                    "sudoedit \(facts.daemon.configurationPath)  # [hid]: enabled = yes",
                    "sudo systemctl reload swiped",
                ])
        ]
    }

    private static func left(_ device: HIDDeviceFacts, _ model: String, _ advice: String) -> Finding {
        Finding(
            device.isKeyboard ? .keyboardMode : .unsupported, .node(device.node),
            seen: ["\(device.node), \(device.ids): \(model)"],
            cause: device.isKeyboard
                ? "It types what is swiped, and the daemon leaves keyboards alone that the configuration does not name."
                : "The daemon does not open it.",
            do: ["# \(advice)"] + (device.isKeyboard ? ["# or: \(taking(device))"] : []))
    }

    private static func taking(_ device: HIDDeviceFacts) -> String {
        "[keyboard-reader NAME] with keyboard = \(device.ids.lowercased()) in swiped.conf takes it out of the focus (docs/keyboards.md)"
    }

    /// Whether the configuration has it taken out of the focus.
    private static func isTaken(_ device: HIDDeviceFacts, _ configuration: ConfigurationFacts) -> Bool {
        device.isKeyboard
            && (configuration.keyboards.contains(device.ids.lowercased())
                || configuration.takesKnownKeyboards && device.isCertainKeyboard)
    }

    private static func unlisted(_ device: HIDDeviceFacts) -> Finding {
        Finding(
            .unlisted, .node(device.node),
            seen: ["\(device.node), \(device.ids): of a maker of readers, in no list"],
            cause: "No driver knows this model.",
            do: [
                "# send us its ids and this:",
                "sudo xxd /sys/class/hidraw/\(device.node.split(separator: "/").last ?? "")/device/report_descriptor",
            ])
    }

    private static func driven(_ device: HIDDeviceFacts, _ model: String, _ facts: Facts) -> [Finding] {
        var found: [Finding] = []
        if !device.permissions.allow(facts.daemon) { found.append(closed(device, model, facts.rules)) }
        if let holder = holder(of: [device.node], facts) {
            found.append(held(holder, "reader \(model)"))
        }
        if let usb = device.usb, usb.power == "auto" { found.append(saving(usb, .node(device.node))) }
        return found
    }

    private static func closed(_ device: HIDDeviceFacts, _ model: String, _ rules: RuleFacts)
        -> Finding
    {
        let seen = ["\(device.node) (\(model)) \(ownership(device.permissions))"]
        let again = [
            "sudo udevadm control --reload",
            "sudo udevadm trigger --subsystem-match=hidraw --action=change",
        ]
        if let shadow = rules.shadow {
            return Finding(
                .ruleShadowed, .node(device.node),
                seen: seen + ["\(shadow) stands before the package's rule"],
                cause: "Of two files of one name, udev reads that in /etc or /run alone.",
                do: ["sudo mv \(shadow) \(shadow).off"] + again)
        }
        guard rules.isInstalled else {
            return Finding(
                .ruleMissing, .node(device.node),
                seen: seen + ["no 70-swiped.rules in /usr/lib/udev/rules.d"],
                cause: "The rule that gives readers to the daemon is not there.",
                do: ["sudo apt install --reinstall swiped"] + again)
        }
        if let later = rules.later.first {
            return Finding(
                .ruleShadowed, .node(device.node),
                seen: seen + ["\(later) says whose hidraw nodes are, and is read later"],
                cause: "The last rule that says it counts.", do: ["# take the line out of \(later)"] + again
            )
        }
        return Finding(
            .nodeNotOurs, .node(device.node), seen: seen,
            cause:
                "The rule did not run for it: it was plugged in before the rule was there, or the daemon is another user.",
            do: again)
    }

    static func ownership(_ permissions: PermissionFacts) -> String {
        "belongs to user \(permissions.owner) and group \(permissions.group), mode 0\(String(permissions.mode, radix: 8))"
    }

    /// Who has one of these nodes open, beside the daemon.
    static func holder(of nodes: [String], _ facts: Facts) -> HolderFacts? {
        facts.holders.first { nodes.contains($0.node) && $0.process != facts.daemon.process }
    }

    static func held(_ holder: HolderFacts, _ what: String, _ subject: Finding.Subject? = nil)
        -> Finding
    {
        Finding(
            .held, subject ?? .node(holder.node),
            seen: ["\(holder.program) (process \(holder.process)) has \(holder.node) open: \(what)"],
            cause: "One program at a time can have it.",
            do: holder.program == "ModemManager"
                ? [
                    "# keep it off of that line: docs/serial-readers.md", "sudo systemctl stop ModemManager",
                ]
                : ["# end it, then: sudo fuser -v \(holder.node)"])
    }

    static func saving(_ usb: USBFacts, _ subject: Finding.Subject) -> Finding {
        Finding(
            .powerSaving, subject, seen: ["/sys/bus/usb/devices/\(usb.port)/power/control is auto"],
            cause:
                "The kernel may switch it off while nobody uses it; the first swipe after that can be lost.",
            do: [
                "echo on | sudo tee /sys/bus/usb/devices/\(usb.port)/power/control",
                "# for good: docs/troubleshooting.md, \"It works, and not always\"",
            ])
    }

    private static func lines(_ facts: Facts) -> [Finding] {
        facts.configuration.serial.flatMap { section -> [Finding] in
            guard section.isThere else {
                return [
                    Finding(
                        .lineAbsent, .section(section.name),
                        seen: ["[\(section.name)] names \(section.device), which is not there"],
                        cause: "The adapter is not plugged in, or the line is called otherwise now.",
                        do: ["ls -l /dev/serial/by-id/"])
                ]
            }
            return holder(of: [section.device], facts).map { [held($0, "[\(section.name)]", .system)] }
                ?? []
        }
    }

    /// Pipes that are not there, but for those of readers that the daemon lists: it knows better.
    private static func pipes(_ facts: Facts) -> [Finding] {
        let listed = Set(facts.readers.map(\.id))
        let absent = facts.configuration.pipes.filter { section in
            (!section.isThere || isHidden(section, facts.daemon))
                && !listed.contains("virtual-" + (section.name.split(separator: " ").last ?? ""))
        }
        return absent.map { section in
            isHidden(section, facts.daemon)
                ? hiddenPipe(section)
                : Finding(
                    .pipeAbsent, .section(section.name),
                    seen: ["[\(section.name)] names \(section.device), and nothing is there"],
                    cause:
                        "A virtual reader is plugged in while its pipe is there; who took it away on purpose unplugged it.",
                    do: [
                        "\(facts.daemon.unit == nil ? "" : "sudo -u swiped ")mkfifo \(inShell(section.device))  # in a folder that is there"
                    ])
        }
    }

    /// Folders that the unit keeps from the daemon (PrivateTmp, ProtectHome): what it sees under these names is empty.
    private static let hiddenFolders = ["/tmp/", "/var/tmp/", "/home/", "/root/", "/run/user/"]

    private static func isHidden(_ pipe: ConfigurationFacts.Section, _ daemon: DaemonFacts) -> Bool {
        daemon.unit != nil && hiddenFolders.contains { pipe.device.hasPrefix($0) }
    }

    private static func hiddenPipe(_ section: ConfigurationFacts.Section) -> Finding {
        Finding(
            .pipeAbsent, .section(section.name), seen: ["[\(section.name)] names \(section.device)"],
            cause: "The unit has a /tmp of its own and sees no homes: for the daemon nothing is there.",
            do: [
                "# in its section: source = /run/swiped/NAME", "sudo -u swiped mkfifo /run/swiped/NAME",
                "sudo systemctl reload swiped",
            ])
    }

    /// A path as a word for a shell.
    static func inShell(_ path: String) -> String { "'\(path.replacing("'", with: "'\\''"))'" }

    /// Sections that the daemon does not use, but for those of which the files say so already.
    static func unused(_ facts: Facts) -> [Finding] {
        let mute = facts.cards.filter { !$0.records }
        let told = (facts.configuration.serial + facts.configuration.audio).filter { section in
            !section.isThere || mute.contains { $0.id == section.device || "\($0.index)" == section.device }
        }
        return facts.unused.filter { unused in !told.contains { $0.name == unused.section } }.map(unused)
    }

    static func unused(_ section: UnusedFacts) -> Finding {
        let isLine = section.section.hasPrefix("serial")
        return Finding(
            isLine ? .lineAbsent : .cardAbsent, .section(section.section),
            seen: ["[\(section.section)] names \(section.device): \(section.why)"],
            cause: "The section is not used.", do: [isLine ? "ls -l /dev/serial/by-id/" : "arecord -l"])
    }

    /// What the daemon says of its readers.
    static func readers(_ facts: Facts) -> [Finding] {
        facts.readers.flatMap { reader -> [Finding] in
            let subject = Finding.Subject.reader(reader.id)
            let detail = reader.detail.map { [$0] } ?? []
            let seen = ["\(reader.id) is \(reader.state)"] + detail
            switch reader.encryption {
            case "key_exhausted", "no_key":
                return [
                    Finding(
                        .keyExhausted, subject, seen: ["\(reader.id): \(reader.encryption)"],
                        cause: "It encrypts, and cannot without a key. The daemon holds none.",
                        do: ["# whoever manages its keys has to load one"])
                ]
            case _: break
            }
            switch reader.state {
            case "suspended":
                return [
                    Finding(
                        .suspended, subject, seen: seen,
                        cause: "Its port was not powered while the machine slept.",
                        do: ["# unplug it and plug it in again"])
                ]
            case _ where reader.isSilentEncoder: return [encoderSilent(reader, seen)]
            case "failed": return failed(reader, seen, facts)
            case _: return []
            }
        }
    }

    private static func encoderSilent(_ reader: ReaderFacts, _ seen: [String]) -> Finding {
        Finding(
            .encoderSilent, .reader(reader.id), seen: seen,
            cause:
                "An MSR605, 606 or 206 needs its own power supply beside USB; or another type is on that line.",
            do: ["# plug its power supply in", "swipectl readers \(reader.id)"])
    }

    /// A virtual reader has no device that a class of the kernel's could be missing for.
    private static func failedPipe(_ reader: ReaderFacts, _ seen: [String], _ facts: Facts) -> Finding {
        let pipe = facts.configuration.pipes.first {
            "virtual-" + ($0.name.split(separator: " ").last ?? "") == reader.id
        }
        let isSound = pipe?.name.hasPrefix("virtual-audio") == true
        return Finding(
            .failed, .reader(reader.id), seen: seen,
            cause: isSound
                ? "The daemon's user may not open its pipe, or ALSA has no plugin for it, which the package swiped brings."
                : "The daemon's user may not open its pipe.",
            do: [pipe.map { "ls -l \(inShell($0.device))" }].compactMap(\.self)
                + (isSound ? ["find /usr/lib -name 'libasound_module_pcm_swiped.so'"] : [])
                + ["sudo journalctl -u swiped SWIPED_READER=\(reader.id) -n 20"])
    }

    /// What the devices explain already is not told again.
    private static func failed(_ reader: ReaderFacts, _ seen: [String], _ facts: Facts) -> [Finding] {
        let detail = reader.detail ?? ""
        if reader.isSimulated { return [failedPipe(reader, seen, facts)] }
        if detail.contains("is not there for the daemon") {
            return [
                Finding(
                    .classTooLate, .reader(reader.id), seen: seen,
                    cause: "The unit allows the kinds of device that the kernel had when the daemon started.",
                    do: ["sudo systemctl restart swiped"])
            ]
        }
        if detail.contains("permission denied")
            && !facts.devices.filter({ !$0.permissions.allow(facts.daemon) }).isEmpty
        {
            return []
        }
        if detail.contains("is in use"),
            facts.holders.contains(where: { $0.process != facts.daemon.process })
        {
            return []
        }
        let isShut = detail.contains("permission denied")
        return [
            Finding(
                .failed, .reader(reader.id), seen: seen,
                cause: isShut
                    ? "The daemon's user may not open it, and that does not mend by itself."
                    : "The daemon tries again by itself.",
                do: isShut
                    ? ["ps -o user,group,supgrp -C swiped  # is the group of the device among them?"]
                    : ["sudo journalctl -u swiped SWIPED_READER=\(reader.id) -n 20"])
        ]
    }
}
