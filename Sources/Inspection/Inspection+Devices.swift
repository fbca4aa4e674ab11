import Diagnosis
import ReaderCatalog
import ReaderKit

/// The machine, the HID devices that are readers, the rules about them, and who has what open.
extension Inspection {
    /// What makers of virtual machines call them, in the firmware's tables.
    private static let virtualMachines = [
        "QEMU", "KVM", "VirtualBox", "VMware", "Virtual Machine", "Xen", "Parallels",
    ]
    /// And in the device tree of a machine that has no such tables: QEMU's model, and the node of a hypervisor. Xen's
    /// is left out: the machine that holds the others, and the readers, has it, too.
    private static let virtualTrees = [
        "linux,dummy-virt": "QEMU", "linux,kvm": "KVM", "vmware": "VMware",
    ]
    private static let lowPower = ["over-current", "under-voltage", "undervoltage"]
    private static let ruleFolders = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
    ]
    private static let rules = "70-swiped.rules"
    private static let keyboardRules = "72-swiped-keyboards.rules"
    /// Usage page "generic desktop", usage "keyboard" (HID 1.11, 6.2.2).
    private static let keyboard: [UInt8] = [0x05, 0x01, 0x09, 0x06]

    func machine() -> MachineFacts {
        var machine = MachineFacts()
        machine.hasProc = tree.exists("/proc/self")
        machine.clock = clock
        if let container = tree.text("/run/systemd/container") { machine.container = container }
        if tree.exists("/run/.containerenv") { machine.container = "podman" }
        if tree.exists("/.dockerenv") { machine.container = "docker" }
        let firmware = ["sys_vendor", "product_name"].compactMap {
            tree.text("/sys/class/dmi/id/\($0)")
        }
        machine.virtualMachine =
            Self.virtualMachines.first { word in firmware.contains { $0.contains(word) } }
            ?? ["model", "hypervisor/compatible"].lazy
            .compactMap { tree.text("/proc/device-tree/\($0)") }
            .compactMap { Self.virtualTrees[$0] }.first
        machine.model = tree.text("/proc/device-tree/model")
        let kernel = run(["journalctl", "-k", "-b", "-q", "-o", "cat"])
        let lines = kernel.map { $0.status == 0 ? $0.output.split(separator: "\n") : [] } ?? []
        let complaints = lines.filter { line in
            let line = line.lowercased()
            return Self.lowPower.contains { line.contains($0) }
        }
        machine.powerComplaints = complaints.suffix(2).map(String.init)
        return machine
    }

    func devices() -> [HIDDeviceFacts] {
        hidNodes().compactMap { found in
            let identity = DeviceIdentity(
                readerID: found.node, bus: found.bus == 3 ? .usb : found.bus == 5 ? .bluetooth : .other,
                vendorID: found.vendor, productID: found.product, node: found.node,
                reportDescriptor: found.descriptor)
            guard let kind = kind(of: identity) else { return nil }
            var device = HIDDeviceFacts(node: found.node, ids: found.ids, kind: kind)
            device.isKeyboard = found.descriptor.starts(with: Self.keyboard)
            device.isCertainKeyboard = ReaderCatalog.typing(identity)?.isCertain ?? false
            device.usb = usb(of: found.folder)
            device.serial = found.serial
            if let permissions = permissions(of: device.node) { device.permissions = permissions }
            return device
        }
    }

    func permissions(of node: String) -> PermissionFacts? {
        tree.status(node).map { PermissionFacts(owner: $0.owner, group: $0.group, mode: $0.mode) }
    }

    /// Nil for what has to do with no reader.
    private func kind(of device: DeviceIdentity) -> HIDDeviceFacts.Kind? {
        switch ReaderCatalog.verdict(on: device) {
        case .reader(_, let match): return .driven(model: match.model)
        case .unsupported(_, let match, let advice):
            return .unsupported(model: match.model, advice: advice)
        case .stranger:
            if let typing = ReaderCatalog.typing(device), device.reportDescriptor.starts(with: Self.keyboard)
            {
                return .unsupported(model: typing.model, advice: "the reader types like a keyboard")
            }
            let makers = Set(ReaderCatalog.hid.flatMap { $0.descriptor.matches.compactMap(\.vendorID) })
            return device.vendorID.map(makers.contains) == true ? .unlisted : nil
        }
    }

    /// The USB device that something of the kernel's hangs below.
    func usb(of folder: String) -> USBFacts? {
        usbFolder(of: folder).map { place in
            USBFacts(
                port: place.split(separator: "/").last.map(String.init) ?? place,
                power: tree.text("\(place)/power/control") ?? "on")
        }
    }

    func usbFolder(of folder: String) -> String? {
        var parts = (tree.real(folder) ?? "").split(separator: "/")
        while !parts.isEmpty {
            let place = "/" + parts.joined(separator: "/")
            if tree.exists("\(place)/idVendor") { return place }
            parts.removeLast()
        }
        return nil
    }

    func rules(for devices: [HIDDeviceFacts]) -> RuleFacts {
        var facts = RuleFacts()
        facts.isInstalled = Self.ruleFolders.suffix(2).contains { tree.exists("\($0)/\(Self.rules)") }
        // Without the package's, one of that name is the only rule there is.
        facts.shadow =
            facts.isInstalled
            ? Self.ruleFolders.prefix(2).map { "\($0)/\(Self.rules)" }.first { tree.exists($0) } : nil
        let vendors = devices.compactMap { $0.ids.split(separator: ":").first?.lowercased() }
        for folder in Self.ruleFolders {
            for name in tree.names(in: folder) where name.hasSuffix(".rules") && name > Self.rules {
                let path = "\(folder)/\(name)"
                // The package's own, which give what they take to the daemon.
                if name == Self.keyboardRules, Self.ruleFolders.suffix(2).contains(folder) { continue }
                if tree.lines(path).contains(where: { saysWhoseNode($0, vendors) }) {
                    facts.later.append(path)
                }
            }
        }
        return facts
    }

    /// Whether a line of rules says to whom hidraw nodes of these makers belong.
    private func saysWhoseNode(_ line: String, _ vendors: [String]) -> Bool {
        let isRule = line.first != "#" && line.contains("hidraw")
        guard isRule, ["MODE=", "OWNER=", "GROUP="].contains(where: { line.contains($0) }) else {
            return false
        }
        // Rules for one maker's devices leave the others alone.
        guard line.contains("idVendor}") else { return true }
        return vendors.contains { line.lowercased().contains($0) }
    }

    /// Who has readers, sound cards and lines open, as far as this user may look; and which sound servers run.
    func holders() -> (holders: [HolderFacts], soundServers: [String]) {
        var (holders, servers): ([HolderFacts], [String]) = ([], [])
        for process in processes() {
            let program = tree.text("/proc/\(process)/comm") ?? ""
            if ["pipewire", "pulseaudio"].contains(program), !servers.contains(program) {
                servers.append(program)
            }
            for number in tree.names(in: "/proc/\(process)/fd") {
                guard let node = tree.link("/proc/\(process)/fd/\(number)"), isReadersNode(node) else {
                    continue
                }
                let holder = HolderFacts(node: node, process: process, program: program)
                if !holders.contains(holder) { holders.append(holder) }
            }
        }
        return (holders, servers)
    }

    private func isReadersNode(_ path: String) -> Bool {
        path.hasPrefix("/dev/hidraw") || path.hasPrefix("/dev/tty")
            || path.hasPrefix("/dev/snd/pcm") && path.hasSuffix("c")
    }
}
