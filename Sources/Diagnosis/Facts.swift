/// What is known of a system, gathered before anything is concluded from it. No fact is card data.
package struct Facts: Sendable, Equatable {
    package var daemon = DaemonFacts()
    package var user = UserFacts()
    package var configuration = ConfigurationFacts()
    /// The readers that the daemon lists.
    package var readers: [ReaderFacts] = []
    /// Sections of its configuration that the daemon does not use.
    package var unused: [UnusedFacts] = []
    package var devices: [HIDDeviceFacts] = []
    package var rules = RuleFacts()
    package var cards: [SoundCardFacts] = []
    package var holders: [HolderFacts] = []
    /// Programs that run and take sound cards for a user's session: `pipewire`, `pulseaudio`.
    package var soundServers: [String] = []
    package var machine = MachineFacts()
    /// The gateway and the bridge, where they are installed.
    package var companions: [CompanionFacts] = []

    package init() {}
}

/// The daemon as it is seen from outside.
package struct DaemonFacts: Sendable, Equatable {
    /// What came of asking it.
    package enum Answer: Sendable, Equatable {
        /// Nothing listens.
        case none
        /// Something listens and says nothing that is understood.
        case silence
        /// The socket does not let this user in.
        case forbidden
        /// The daemon gives this user no role.
        case noRole
        case roles(Set<String>)
    }

    /// The service as systemd sees it.
    package struct Unit: Sendable, Equatable {
        /// active, inactive, failed, activating, …
        package var state: String
        /// The socket's own state.
        package var socketState: String
        /// When the state changed last, which a reload does too; seconds since 1970.
        package var changedAt: Int?

        package init(state: String, socketState: String, changedAt: Int? = nil) {
            self.state = state
            self.socketState = socketState
            self.changedAt = changedAt
        }
    }

    package var answer = Answer.none
    package var socketPath = "/run/swiped/swiped.sock"
    package var hasSocketFile = false
    /// Whether a folder on the way to it lets this user in.
    package var isSocketInSight = true
    /// The group that may open the socket.
    package var socketGroup: String?
    package var isInstalled = false
    /// Nil where systemd is not asked or has no such unit, and where the daemon that runs is not the unit's.
    package var unit: Unit?
    package var process: Int?
    /// Somebody stopped it (SIGSTOP); it goes on with SIGCONT.
    package var isStopped = false
    /// Daemons that were told to listen elsewhere, and where.
    package var others: [String: Int] = [:]
    package var uid: UInt32?
    package var groups: Set<UInt32> = []
    /// Seconds since 1970.
    package var startedAt: Int?
    /// The main file of its configuration.
    package var configurationPath = "/etc/swiped/swiped.conf"
    /// It said since its start that a change of its configuration needs a restart.
    package var needsRestart = false

    package init() {}

    /// Seconds since it began; nil where that is not known, or the clock was set back since.
    package func age(at clock: Int) -> Int? { startedAt.flatMap { $0 <= clock ? clock - $0 : nil } }

    package var isReached: Bool { if case .roles = answer { true } else { false } }
}

package struct UserFacts: Sendable, Equatable {
    package var isRoot = false
    /// The groups of the process that asks, by name.
    package var groups: Set<String> = []
    /// The groups that the system's files give the user; they hold from the next login on.
    package var groupsFromNextLogin: Set<String> = []
    /// All groups that the system has.
    package var groupsOfSystem: Set<String> = []

    package init() {}
}

package struct ConfigurationFacts: Sendable, Equatable {
    package struct Section: Sendable, Equatable {
        /// `audio-reader desk`.
        package var name: String
        /// What it names: a sound card's id or number, the path of a serial line or of a pipe.
        package var device: String
        /// Whether that is there; for a sound card by its list of cards.
        package var isThere: Bool

        package init(name: String, device: String, isThere: Bool) {
            self.name = name
            self.device = device
            self.isThere = isThere
        }
    }

    /// When one of its files changed last; seconds since 1970.
    package var changedAt: Int?
    /// Where the daemon is to listen, where that is said.
    package var socket: String?
    /// Whether USB and Bluetooth readers are looked for.
    package var looksForHID = true
    package var audio: [Section] = []
    package var serial: [Section] = []
    /// The pipes of virtual readers.
    package var pipes: [Section] = []
    /// Keyboards that are taken out of the focus, by their ids: `c216:0180`.
    package var keyboards: Set<String> = []
    /// Those of known ids are, without a section.
    package var takesKnownKeyboards = false
    /// Not all of its files could be read by who asks: what they say is not known.
    package var isUnreadable = false
    /// What is wrong with it, where that was looked at.
    package var faults: [String] = []

    package init() {}
}

/// A reader as the daemon tells of it.
package struct ReaderFacts: Sendable, Equatable {
    package var id: String
    package var name: String?
    package var serial: String?
    /// usb, audio, serial, …
    package var bus: String
    /// ready, failed, …
    package var state: String
    package var detail: String?
    /// encrypted, key_exhausted, …
    package var encryption = "clear"
    package var holder: Int?
    package var isSimulated = false
    /// Whether something is in the jack, where a jack tells.
    package var isPluggedIn: Bool?
    /// Why its sound input is not listened to, in the daemon's words; nil where it is.
    package var whyClosed: String?
    /// What the daemon counted of it, by the names of `stats`.
    package var counts: [String: Int] = [:]

    package init(id: String, bus: String = "usb", state: String = "ready", detail: String? = nil) {
        self.id = id
        self.bus = bus
        self.state = state
        self.detail = detail
    }

    /// An encoder that says nothing, or on whose line something else speaks, in the words of its driver (MSRDialogue). It stays
    /// `connected`, and is asked again.
    package var isSilentEncoder: Bool {
        guard let detail else { return false }
        return detail.contains("does not answer: has it power")
            || detail.contains("something else than an MSR605")
    }
}

/// A section of the configuration whose device is not there, as the daemon tells of it.
package struct UnusedFacts: Sendable, Equatable {
    /// `serial-reader till`.
    package var section: String
    package var device: String
    package var why: String

    package init(section: String, device: String, why: String) {
        self.section = section
        self.device = device
        self.why = why
    }
}

/// A HID device that the kernel shows.
package struct HIDDeviceFacts: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A reader that the daemon drives.
        case driven(model: String)
        /// A reader that it names and leaves alone, with what to do about it.
        case unsupported(model: String, advice: String)
        /// Nobody's, of a maker of readers.
        case unlisted
    }

    /// `/dev/hidraw3`.
    package var node: String
    /// `0801:0011`.
    package var ids: String
    package var kind: Kind
    package var serial: String?
    package var isKeyboard = false
    /// It types, and nothing but such a reader has its ids.
    package var isCertainKeyboard = false
    package var permissions = PermissionFacts()
    package var usb: USBFacts?

    package init(node: String, ids: String, kind: Kind) {
        self.node = node
        self.ids = ids
        self.kind = kind
    }
}

/// Whose a device node is, and who may open it.
package struct PermissionFacts: Sendable, Equatable {
    package var owner: UInt32
    package var group: UInt32
    package var mode: UInt32

    package init(owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32 = 0o600) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// Whether the daemon's user may: where it does not run, it is the one to whom the package's rules give readers.
    package func allow(_ daemon: DaemonFacts) -> Bool {
        guard let uid = daemon.uid else { return true }
        if uid == 0 || owner == uid { return uid == 0 || mode & 0o600 == 0o600 }
        if daemon.groups.contains(group) { return mode & 0o060 == 0o060 }
        return mode & 0o006 == 0o006
    }
}

/// The USB device that something is on.
package struct USBFacts: Sendable, Equatable {
    /// `1-2`.
    package var port: String
    /// `power/control`: `on`, or `auto` where the kernel may switch it off.
    package var power: String

    package init(port: String, power: String) {
        self.port = port
        self.power = power
    }
}

/// The udev rules that give readers' nodes to the daemon.
package struct RuleFacts: Sendable, Equatable {
    package var isInstalled = false
    /// A file of the same name in a folder that counts before the package's.
    package var shadow: String?
    /// Files that are read after it and say whose hidraw nodes are.
    package var later: [String] = []

    package init() {}
}

package struct SoundCardFacts: Sendable, Equatable {
    /// A control for what is recorded.
    package struct Control: Sendable, Equatable {
        package var name: String
        /// Nil where it has no switch.
        package var isOn: Bool?
        /// Nil where it has no volume.
        package var percent: Int?

        package init(name: String, isOn: Bool? = nil, percent: Int? = nil) {
            self.name = name
            self.isOn = isOn
            self.percent = percent
        }
    }

    package var index: Int
    /// ALSA's id: `Headset`.
    package var id: String
    package var records = true
    /// The USB ids of the card; two equal cards have the same.
    package var ids: String?
    package var usb: USBFacts?
    /// Of the node that controls it; nil where there is none.
    package var permissions: PermissionFacts?
    /// Whether a udev rule keeps sound servers away from it.
    package var isIgnoredBySoundServers = false
    /// Seconds after which a built-in card is switched off; 0: never.
    package var powerSave: Int?
    package var controls: [Control] = []
    /// What it records from, where it has a choice.
    package var source: String?
    package var sources: [String] = []

    package init(index: Int, id: String) {
        self.index = index
        self.id = id
    }
}

/// A program that has a device open.
package struct HolderFacts: Sendable, Equatable {
    package var node: String
    package var process: Int
    package var program: String

    package init(node: String, process: Int, program: String) {
        self.node = node
        self.process = process
        self.program = program
    }
}

/// A program of ours that takes the daemon's events on: swiped-web, swiped-mqtt.
package struct CompanionFacts: Sendable, Equatable {
    /// The program's name, and its service's.
    package var name: String
    /// The service's state, in systemd's word.
    package var state: String
    /// What is wrong with its configuration, where that was looked at.
    package var faults: [String] = []
    /// What it counts, by the names of its metrics without its own in front; labels are added up.
    package var figures: [String: Int] = [:]

    package init(name: String, state: String) {
        self.name = name
        self.state = state
    }
}

package struct MachineFacts: Sendable, Equatable {
    package var hasProc = true
    /// `docker`, `podman`, `lxc`, … inside of a container.
    package var container: String?
    /// `QEMU`, `VirtualBox`, … in a virtual machine.
    package var virtualMachine: String?
    /// The device tree's model: `Raspberry Pi 4 Model B Rev 1.4`.
    package var model: String?
    /// Seconds since 1970.
    package var clock = 0
    /// What the kernel said of power that was too little.
    package var powerComplaints: [String] = []

    package init() {}
}
