import Diagnosis

/// The sound cards.
extension Inspection {
    func cards() -> [SoundCardFacts] {
        tree.names(in: "/sys/class/sound").compactMap { name in
            guard name.hasPrefix("card"), let index = Int(name.dropFirst(4)) else { return nil }
            let folder = "/sys/class/sound/\(name)"
            guard let id = tree.text("\(folder)/id") else { return nil }
            var card = SoundCardFacts(index: index, id: id)
            card.records = tree.names(in: folder).contains {
                $0.hasPrefix("pcmC\(index)D") && $0.hasSuffix("c")
            }
            card.permissions = permissions(of: "/dev/snd/controlC\(index)")
            if let place = usbFolder(of: "\(folder)/device") {
                let ids = ["idVendor", "idProduct"].compactMap { tree.text("\(place)/\($0)") }
                card.ids = ids.count == 2 ? ids.joined(separator: ":") : nil
                card.usb = usb(of: "\(folder)/device")
            } else if tree.link("\(folder)/device/driver")?.hasSuffix("/snd_hda_intel") == true {
                card.powerSave = tree.text("/sys/module/snd_hda_intel/parameters/power_save").flatMap {
                    Int($0)
                }
            }
            let udev = tree.lines("/run/udev/data/+sound:\(name)")
            card.isIgnoredBySoundServers = ["E:ACP_IGNORE=1", "E:PULSE_IGNORE=1"].allSatisfy(
                udev.contains)
            let mixer = mixer(index)
            (card.controls, card.source, card.sources) = (mixer.controls, mixer.source, mixer.sources)
            return card
        }.sorted { $0.index < $1.index }
    }
}
