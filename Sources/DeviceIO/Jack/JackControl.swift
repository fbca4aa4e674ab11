import CALSA
import Glibc
import ReaderKit

/// One open ALSA control device, as far as jacks go. Used by one thread.
struct JackControl: ~Copyable {
    /// More controls than any card has; what comes after them is not looked at.
    private static let maximumElements: UInt32 = 4_096

    /// A jack's control: its number in the card, and its name.
    struct Element: Hashable, Sendable {
        let number: UInt32
        let name: String
    }

    private let control: OpaquePointer

    init(_ configuration: JackConfiguration) throws(DeviceError) {
        ALSALibrary.silence
        var control: OpaquePointer?
        let mode = Int32(SND_CTL_NONBLOCK)
        let result: Int32
        if let definition = configuration.definition {
            let tree = try ConfigurationTree(definition)
            result = snd_ctl_open_lconf(&control, configuration.control, mode, tree.root)
        } else {
            result = snd_ctl_open(&control, configuration.control, mode)
        }
        guard result >= 0, let control else {
            throw Self.error(result, "snd_ctl_open", configuration.control)
        }
        self.control = control
    }

    deinit { snd_ctl_close(control) }

    /// Asks for events. From here on no change is missed.
    borrowing func subscribe() throws(DeviceError) {
        let result = snd_ctl_subscribe_events(control, 1)
        guard result >= 0 else { throw Self.error(result, "snd_ctl_subscribe_events") }
    }

    borrowing func descriptors() throws(DeviceError) -> [pollfd] {
        let count = snd_ctl_poll_descriptors_count(control)
        guard count > 0 else { throw .unsupported(detail: "the sound card's control has nothing to poll") }
        var descriptors = [pollfd](repeating: pollfd(fd: -1, events: 0, revents: 0), count: Int(count))
        let filled = snd_ctl_poll_descriptors(control, &descriptors, UInt32(count))
        guard filled == count else { throw Self.error(filled, "snd_ctl_poll_descriptors") }
        return descriptors
    }

    /// What belongs to the card as a whole: its jacks among it.
    borrowing func jacks() throws(DeviceError) -> [Element] {
        var list: OpaquePointer?
        guard snd_ctl_elem_list_malloc(&list) >= 0, let list else {
            throw Self.error(-ENOMEM, "snd_ctl_elem_list")
        }
        defer { snd_ctl_elem_list_free(list) }
        let counted = snd_ctl_elem_list(control, list)
        guard counted >= 0 else { throw Self.error(counted, "snd_ctl_elem_list") }
        let space = min(Self.maximumElements, snd_ctl_elem_list_get_count(list))
        guard snd_ctl_elem_list_alloc_space(list, space) >= 0 else {
            throw Self.error(-ENOMEM, "snd_ctl_elem_list")
        }
        defer { snd_ctl_elem_list_free_space(list) }
        let listed = snd_ctl_elem_list(control, list)
        guard listed >= 0 else { throw Self.error(listed, "snd_ctl_elem_list") }
        return (0..<snd_ctl_elem_list_get_used(list)).compactMap { index in
            guard
                snd_ctl_elem_list_get_interface(list, index) == SND_CTL_ELEM_IFACE_CARD,
                let text = snd_ctl_elem_list_get_name(list, index)
            else { return nil }
            return Element(number: snd_ctl_elem_list_get_numid(list, index), name: String(cString: text))
        }
    }

    /// Whether something is in the jack.
    borrowing func isIn(_ jack: Element) throws(DeviceError) -> Bool {
        var value: OpaquePointer?
        guard snd_ctl_elem_value_malloc(&value) >= 0, let value else {
            throw Self.error(-ENOMEM, "snd_ctl_elem_read")
        }
        defer { snd_ctl_elem_value_free(value) }
        snd_ctl_elem_value_set_interface(value, SND_CTL_ELEM_IFACE_CARD)
        snd_ctl_elem_value_set_name(value, jack.name)
        snd_ctl_elem_value_set_numid(value, jack.number)
        let result = snd_ctl_elem_read(control, value)
        guard result >= 0 else { throw Self.error(result, "snd_ctl_elem_read") }
        return snd_ctl_elem_value_get_boolean(value, 0) != 0
    }

    /// Takes one event off the queue. False when there is none.
    borrowing func takeEvent() throws(DeviceError) -> Bool {
        var event: OpaquePointer?
        guard snd_ctl_event_malloc(&event) >= 0, let event else { throw Self.error(-ENOMEM, "snd_ctl_read") }
        defer { snd_ctl_event_free(event) }
        let result = snd_ctl_read(control, event)
        if result == -EAGAIN || result == 0 { return false }
        guard result > 0 else { throw Self.error(result, "snd_ctl_read") }
        return true
    }

    private static func error(_ result: Int32, _ operation: String, _ name: String = "") -> DeviceError {
        switch -result {
        case EACCES, EPERM:
            .permissionDenied(
                detail: "\(name): udev gives sound devices to the group audio; is the daemon in it?")
        case ENOENT, ENODEV, ENXIO, ESHUTDOWN: .gone
        case let code: .system(errno: code, operation: operation)
        }
    }
}
