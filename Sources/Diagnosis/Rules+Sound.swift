/// What is wrong with sound cards, and with what was swiped.
extension Diagnosis {
    /// Percent of the range below which a head's few millivolts are lost. ASSUMPTION: it was measured on no card.
    private static let lowGain = 30
    /// Names of controls that set the gain by themselves.
    private static let automaticGain = ["Auto Gain Control", "AGC", "Mic AGC"]
    /// What a head can be at, by ALSA's names.
    private static let microphones = ["Mic", "Headset", "Line"]

    static func sound(_ facts: Facts) -> [Finding] {
        configured(facts).flatMap { section, card in
            guard let card else { return [absent(section)] }
            return [
                noMicrophone(section, card), twin(section, card, facts), saving(card),
                unheard(section, card, facts),
            ].compactMap(\.self) + taken(section, card, facts)
        } + strangers(facts)
    }

    /// The sections for sound cards, each with its card.
    private static func configured(
        _ facts: Facts
    ) -> [(section: ConfigurationFacts.Section, card: SoundCardFacts?)] {
        facts.configuration.audio.map { section in
            (section, facts.cards.first { $0.id == section.device || "\($0.index)" == section.device })
        }
    }

    private static func absent(_ section: ConfigurationFacts.Section) -> Finding {
        Finding(
            .cardAbsent, .section(section.name),
            seen: ["[\(section.name)] names the sound card \(section.device), which is not there"],
            cause: "It is not plugged in, or it is called otherwise.", do: ["arecord -l"])
    }

    private static func noMicrophone(
        _ section: ConfigurationFacts.Section, _ card: SoundCardFacts
    ) -> Finding? {
        guard !card.records else { return nil }
        return Finding(
            .noMicrophone, .card(card.index), seen: ["[\(section.name)]: the card \(card.id) only plays"],
            cause: "A jack without a microphone contact, as a Raspberry Pi's own, hears nothing.",
            do: ["# take a USB sound card with a microphone input"])
    }

    /// A card that is there, and that the daemon does not see: it has no reader of it, or cannot look into its jack.
    private static func unheard(
        _ section: ConfigurationFacts.Section, _ card: SoundCardFacts, _ facts: Facts
    ) -> Finding? {
        // In the words of the daemon's AudioPort.
        let isKnown = facts.readers.contains {
            $0.id == "audio-\(card.id)" && $0.whyClosed?.contains("it is not known yet") != true
        }
        let isUnused = facts.unused.contains { $0.section == section.name }
        guard facts.daemon.isReached, facts.daemon.unit != nil, card.records, !isKnown, !isUnused,
            configuration(facts).isEmpty
        else {
            return nil
        }
        if let permissions = card.permissions, !permissions.allow(facts.daemon) {
            return Finding(
                .nodeNotOurs, .card(card.index),
                seen: ["/dev/snd/controlC\(card.index) \(ownership(permissions))"],
                cause: "The daemon's user may not open it: sound cards are for the group audio.",
                do: [
                    "ps -o user,group,supgrp -C swiped  # is audio among them?",
                    "sudo udevadm trigger --subsystem-match=sound --action=change",
                ])
        }
        return Finding(
            .classTooLate, .card(card.index),
            seen: ["[\(section.name)]: the card \(card.id) is there, and the daemon does not see it"],
            cause: "The unit allows the kinds of device that the kernel had when the daemon started.",
            do: ["sudo systemctl restart swiped"])
    }

    private static func twin(
        _ section: ConfigurationFacts.Section, _ card: SoundCardFacts, _ facts: Facts
    ) -> Finding? {
        let names = facts.cards.filter { $0.ids != nil && $0.ids == card.ids && $0.index != card.index }
            .map(
                \.id)
        // Cards with names of their own are told apart by a rule.
        guard
            let other = names.first(where: { isNumbered($0, of: card.id) || isNumbered(card.id, of: $0) })
        else {
            return nil
        }
        return Finding(
            .equalCards, .card(card.index),
            seen: ["[\(section.name)] names \(card.id), and \(other) is a card of the same kind"],
            cause:
                "The kernel numbers them in the order in which it finds them: after the next boot they may have changed places.",
            do: ["# give each a name by its port: docs/troubleshooting.md, \"Two equal sound cards\""])
    }

    /// `Device_1` of `Device`.
    private static func isNumbered(_ name: String, of first: String) -> Bool {
        name.hasPrefix(first + "_") && Int(name.dropFirst(first.count + 1)) != nil
    }

    private static func saving(_ card: SoundCardFacts) -> Finding? {
        if let usb = card.usb, usb.power == "auto" { return saving(usb, .card(card.index)) }
        guard let seconds = card.powerSave, seconds > 0 else { return nil }
        return Finding(
            .powerSaving, .card(card.index),
            seen: ["snd_hda_intel switches \(card.id) off after \(seconds) s"],
            cause: "The first swipe after a pause can be lost, or a click is heard.",
            do: [
                "echo 'options snd_hda_intel power_save=0' | sudo tee /etc/modprobe.d/50-swiped.conf",
                "sudo reboot",
            ])
    }

    private static func taken(
        _ section: ConfigurationFacts.Section, _ card: SoundCardFacts, _ facts: Facts
    ) -> [Finding] {
        let exclude = [
            "# in /etc/udev/rules.d/60-card-readers.rules, with the card's port:",
            "# SUBSYSTEM==\"sound\", KERNEL==\"card*\", SUBSYSTEMS==\"usb\", KERNELS==\"\(card.usb?.port ?? "PORT")\", "
                + "ENV{ACP_IGNORE}=\"1\", ENV{PULSE_IGNORE}=\"1\"",
            "sudo udevadm control --reload  # then plug the card in again and log in again",
        ]
        let beginning = "/dev/snd/pcmC\(card.index)D"
        if let holder = facts.holders.first(where: {
            $0.node.hasPrefix(beginning) && $0.process != facts.daemon.process
        }) {
            guard isSoundServer(holder.program) else {
                return [held(holder, "[\(section.name)]", .card(card.index))]
            }
            return [
                Finding(
                    .soundServerHolds, .card(card.index),
                    seen: ["\(holder.program) (process \(holder.process)) has \(holder.node) open"],
                    cause: "It belongs to a user's session, also to one without a screen.", do: exclude)
            ]
        }
        guard let server = facts.soundServers.first, !card.isIgnoredBySoundServers else { return [] }
        return [
            Finding(
                .soundServer, .card(card.index),
                seen: ["\(server) runs, and nothing keeps it from \(card.id)"],
                cause: "It opens cards when somebody logs in: the daemon is then refused its card.",
                do: exclude)
        ]
    }

    private static func isSoundServer(_ program: String) -> Bool {
        ["pipewire", "pulseaudio", "wireplumber"].contains { program.hasPrefix($0) }
    }

    /// Cards that could hear a head and are given to nobody, where no other reader is there either.
    private static func strangers(_ facts: Facts) -> [Finding] {
        guard !absence(facts).isEmpty else { return [] }
        return facts.cards.filter { $0.records }.map { card in
            Finding(
                .cardNotConfigured, .card(card.index), seen: ["the sound card \(card.id) has an input"],
                cause: "The daemon takes no sound card by itself.",
                do: ["# in /etc/swiped/swiped.conf:  [audio-reader counter]  device = hw:CARD=\(card.id)"])
        }
    }

    static func mixer(_ facts: Facts) -> [Finding] {
        configured(facts).flatMap { _, card in card.map { levels($0) } ?? [] }
    }

    private static func levels(_ card: SoundCardFacts) -> [Finding] {
        let subject = Finding.Subject.card(card.index)
        var found: [Finding] = []
        let controls = card.controls.filter {
            !automaticGain.contains($0.name) && !$0.name.contains("Boost")
        }
        if let off = controls.first(where: { $0.isOn == false }) {
            found.append(
                Finding(
                    .muted, subject, seen: ["\(off.name) of \(card.id) is off"],
                    cause: "The card records silence.",
                    do: ["amixer -c \(card.id) sset '\(off.name)' cap", "sudo alsactl store \(card.id)"]))
        }
        if let source = card.source, !microphones.contains(where: { source.contains($0) }) {
            let better = card.sources.first { $0.contains("Mic") } ?? "Mic"
            found.append(
                Finding(
                    .inputSource, subject, seen: ["\(card.id) records from '\(source)'"],
                    cause: "A head is on a microphone input.",
                    do: [
                        "amixer -c \(card.id) sset 'Input Source' '\(better)'",
                        "sudo alsactl store \(card.id)",
                    ]))
        }
        if let control = card.controls.first(where: {
            automaticGain.contains($0.name) && $0.isOn == true
        }) {
            found.append(
                Finding(
                    .automaticGain, subject, seen: ["\(control.name) of \(card.id) is on"],
                    cause: "The level changes in the middle of a swipe.",
                    do: ["amixer -c \(card.id) sset '\(control.name)' off", "sudo alsactl store \(card.id)"]))
        }
        if let low = controls.first(where: { $0.isOn != false && ($0.percent ?? 100) < lowGain }) {
            found.append(
                Finding(
                    .lowGain, subject, seen: ["\(low.name) of \(card.id) is at \(low.percent ?? 0) %"],
                    cause: "A head gives a few millivolts.",
                    do: ["amixer -c \(card.id) sset '\(low.name)' 70%", "sudo alsactl store \(card.id)"]))
        }
        return found
    }

    /// What was counted since the daemon started.
    static func reading(_ facts: Facts) -> [Finding] {
        facts.readers.flatMap { reader -> [Finding] in
            let cut = clipped(reader)
            // What is cut off is not read for that reason.
            let unread = cut == nil ? noise(reader) : nil
            let found = [empty(reader), cut, broken(reader), lost(reader), unread].compactMap(\.self)
            return found + explanations(reader)
        }
    }

    private static func empty(_ reader: ReaderFacts) -> Finding? {
        guard reader.isPluggedIn == false else { return nil }
        return Finding(
            .nothingInJack, .reader(reader.id),
            seen: ["the jack of \(reader.id) says that nothing is in it"],
            cause: "The plug is not in all the way, or the jack does not recognise a plain head.",
            do: reader.id.hasPrefix("virtual-")
                ? ["# the file that its section names as jack says so: docs/devices.md"]
                : [
                    "# where a head is in it: jack = none in its section of /etc/swiped/swiped.conf",
                    "sudo systemctl reload swiped",
                ])
    }

    private static func broken(_ reader: ReaderFacts) -> Finding? {
        let errors = reader.counts["CommunicationErrorCount", default: 0]
        // Of a reader that cannot be opened, each try counts: what it says of itself is told already.
        guard errors > 0, !reader.isSilentEncoder, reader.state != "failed" else { return nil }
        return Finding(
            .brokenProtocol, .reader(reader.id),
            seen: ["\(reader.id): \(errors) times since the daemon started"],
            cause: reader.bus == "serial"
                ? "Something else came than its type sends: another type, baud or frame; or a bad line. The journal says what."
                : "It failed at work, or sent what its protocol does not have; the journal says what.",
            do: ["sudo journalctl -u swiped SWIPED_READER=\(reader.id) -n 20"])
    }

    /// A swipe that is cut off now and then is a quick hand's.
    private static func clipped(_ reader: ReaderFacts) -> Finding? {
        let times = reader.counts["clipped_swipes", default: 0]
        let all = reader.counts["GoodReadCount", default: 0] + reader.counts["FailedReadCount", default: 0]
        guard times > 0, 2 * times >= all else { return nil }
        return Finding(
            .clipping, .reader(reader.id),
            seen: ["\(times) of \(all) swipes were cut off at the end of the scale"],
            cause: "The gain, or a boost, is too high, or automatic gain raised it.",
            do: [
                "swipectl meter \(reader.id)  # swipe a few times; its key g lowers the gain",
                "# where it goes no further: alsamixer, F4, lower Mic Boost",
            ])
    }

    private static func lost(_ reader: ReaderFacts) -> Finding? {
        let times = reader.counts["overruns", default: 0]
        guard times > 0 else { return nil }
        return Finding(
            .lost, .reader(reader.id), seen: ["\(times) times since the daemon started (overruns)"],
            cause: "Nobody fetched what the reader sent in time.",
            do: ["top  # what takes the processor?"])
    }

    private static func noise(_ reader: ReaderFacts) -> Finding? {
        let failed = reader.counts["FailedReadCount", default: 0]
        guard failed > 0, reader.counts["GoodReadCount", default: 0] == 0 else { return nil }
        return Finding(
            .onlyNoise, .reader(reader.id), seen: ["\(failed) swipes, and none of them was read"],
            cause: reader.bus == "audio"
                ? "It is noise, a hum of another device's power supply, or a worn card."
                : "The card is worn or swiped unevenly, or the head is dirty.",
            do: [
                "swipectl watch --reader \(reader.id)  # while you swipe, slowly and evenly, another card too"
            ])
    }

    private static func explanations(_ reader: ReaderFacts) -> [Finding] {
        let subject = Finding.Subject.reader(reader.id)
        var found: [Finding] = []
        if let why = reader.whyClosed { found.append(closed(reader, why)) }
        let untaken = reader.counts["untaken_swipes", default: 0]
        if untaken > 0 {
            found.append(
                Finding(
                    .untaken, subject, seen: ["\(untaken) swipes"],
                    cause: "No client was there that may see cards.",
                    do: ["swipectl watch --reader \(reader.id)"]))
        }
        if let holder = reader.holder {
            found.append(
                Finding(
                    .claimed, subject, seen: ["process \(holder) holds \(reader.id)"],
                    cause: "Only it controls the reader and sees its cards in full.", do: ["ps -p \(holder)"])
            )
        }
        if reader.encryption == "encrypted" {
            found.append(
                Finding(
                    .encrypts, subject, seen: ["\(reader.id) encrypts in its head"],
                    cause: "Whoever has its key opens what it sends, not the daemon.", do: []))
        }
        let reads =
            reader.counts["GoodReadCount", default: 0] + reader.counts["FailedReadCount", default: 0]
        if reads == 0, ["ready", "reading"].contains(reader.state) {
            found.append(nothing(reader))
        }
        return found
    }

    /// In the words of the daemon's AudioPort.
    private static func closed(_ reader: ReaderFacts, _ why: String) -> Finding {
        let advice =
            if why.contains("its type is none") {
                "# type = passive, or what is there, in its section; or now: swipectl reader-type \(reader.id) passive"
            } else if why.contains("not activated") {
                "swipectl activate \(reader.id)"
            } else if why.contains("nothing was found") {
                "swipectl autodetect \(reader.id)  # loud tones come from the jack"
            } else {
                "sudo fuser -v /dev/snd/*  # who has the sound card?"
            }
        return Finding(
            .closed, .reader(reader.id), seen: [why],
            cause: "The daemon does not listen to this input, so it hears no swipe.", do: [advice])
    }

    private static func nothing(_ reader: ReaderFacts) -> Finding {
        let byHand =
            reader.bus == "audio"
            ? [
                "# the plug: four contacts, CTIA (an OMTP one needs an adapter); the microphone's jack",
                "# or record a swipe without the daemon: docs/troubleshooting.md, \"No sound arrives\"",
            ] : ["# turn the card round, swipe in one go"]
        return Finding(
            .nothingSwiped, .reader(reader.id),
            seen: ["\(reader.id) is ready, and saw no swipe since the daemon started"],
            cause: reader.bus == "audio"
                ? "No sound arrives, or nobody swiped." : "It saw no stripe, or nobody swiped.",
            do: ["swipectl watch --reader \(reader.id)  # while you swipe"] + byHand)
    }
}
