import DeviceIO
import KeyboardReaders
import NIOConcurrencyHelpers
import ReaderKit

/// Which keyboards are taken, and which were given back to whoever typed on them.
struct KeyboardDesk: Sendable {
    /// Until they are plugged in anew, by their syspaths.
    private let givenBack = NIOLockedValueBox<Set<String>>([])
    /// What became of each keyboard that the configuration names: nil where it is taken.
    private var verdicts: [String: KeyboardTaking.Refusal?] = [:]

    /// Those that are to be silent and have no reports, so that nobody can read them: by their syspaths.
    var deaf: Set<String> = []

    /// Whether a HID device's reports can be read beside this input of it.
    var hasReports: @Sendable (DeviceIdentity) -> Bool = { InputSurroundings.hasReports($0) }
    /// Whether it moves a pointer, or is one device with something that does.
    var hasPointer: @Sendable (DeviceIdentity) -> Bool = { InputSurroundings.hasPointer($0) }

    /// Whether a keyboard may be taken now.
    func refusal(
        of device: DeviceIdentity, _ terms: KeyboardTerms, among devices: [DeviceIdentity],
        _ configuration: DaemonConfiguration
    ) -> KeyboardTaking.Refusal? {
        let others = devices.filter { other in
            // Another interface of the same device is no keyboard to type on.
            other.isEventDevice && !InputSurroundings.areOne(other, device)
                && configuration.keyboardTerms(of: other) == nil && KnownKeyboards.find(other) == nil
        }
        return KeyboardTaking(
            consent: terms.consent, hasPointer: hasPointer(device),
            otherKeyboards: others.count, wasGivenBack: wasGivenBack(device.syspath)
        ).refusal
    }

    /// Notes what became of it.
    mutating func decided(_ syspath: String, _ refusal: KeyboardTaking.Refusal?) {
        verdicts[syspath] = .some(refusal)
    }

    /// Keyboards that were taken, and turn out to be one device with a pointer now that another part of it is there.
    func pointers(
        beside newcomer: DeviceIdentity, among devices: [DeviceIdentity],
        _ configuration: DaemonConfiguration
    ) -> [DeviceIdentity] {
        devices.filter { device in
            guard device.syspath != newcomer.syspath, verdicts[device.syspath] == .some(nil),
                InputSurroundings.areOne(device, newcomer),
                let terms = configuration.keyboardTerms(of: device)
            else { return false }
            return refusal(of: device, terms, among: devices, configuration) == .pointer
        }
    }

    /// Of those that are deaf, the ones whose reports have come with this hidraw node: the kernel makes it behind the input.
    func heard(with newcomer: DeviceIdentity, among devices: [String: DeviceIdentity]) -> [String] {
        guard !newcomer.isEventDevice, newcomer.bus != .serial, newcomer.bus != .audio else { return [] }
        return deaf.filter { syspath in
            devices[syspath].map { InputSurroundings.areOne($0, newcomer) && hasReports($0) } ?? true
        }
    }

    /// Those that were refused because there was no other keyboard, or since there is none any more.
    var waiting: [String] { verdicts.filter { $0.value == .onlyKeyboard }.map(\.key) }

    /// It is gone: what is plugged in next is another one.
    mutating func removed(_ syspath: String) {
        verdicts[syspath] = nil
        givenBack.withLockedValue { _ = $0.remove(syspath) }
    }

    func wasGivenBack(_ syspath: String) -> Bool { givenBack.withLockedValue { $0.contains(syspath) } }

    /// What to do where a person types on it, and the words for it.
    func giver(_ syspath: String) -> @Sendable () -> String {
        { [givenBack] in
            givenBack.withLockedValue { _ = $0.insert(syspath) }
            return KeyboardTaking.Refusal.givenBack.rawValue
        }
    }
}

/// The transport's look at the keys.
struct KeyboardWatch: KeyWatch {
    private var person = PersonWatch()

    mutating func sees(_ input: KeyInput) -> Bool { person.sees(input) }
}
