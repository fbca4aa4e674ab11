import DeviceIO
import KeyboardReaders
import ReaderCatalog
import ReaderKit

/// Keyboards that the configuration names as readers: taken out of the focus, or listed with the reason why not.
extension DeviceWatch {
    func attachKeyboard<Driver: ReaderDriver<KeyInput>>(
        _ device: DeviceIdentity, _ match: DeviceMatch, _ driver: Driver.Type, _ keyboard: KeyboardTerms
    ) async {
        if keyboard.isSilent { return await attachSilent(device, match, driver, keyboard) }
        let refusal = keyboards.refusal(
            of: device, keyboard, among: Array(devices.values), configuration)
        keyboards.decided(device.syspath, refusal)
        let named = device.named(for: Driver.descriptor)
        // At the start, another keyboard may be the next that is told of.
        if refusal == .onlyKeyboard, !hasScanned { return }
        if let refusal {
            return await supervisor.attachUnsupported(
                named, match, kind: Driver.descriptor.kind, remedy: "not taken: \(refusal.rawValue)")
        }
        let desk = keyboards
        await supervisor.attach(named, match, driver: driver, terms: held(keyboard)) {
            device throws(DeviceError) in
            guard !desk.wasGivenBack(device.syspath) else {
                throw .busy(detail: KeyboardTaking.Refusal.givenBack.rawValue)
            }
            if let obstacle = Self.obstacle(device, isSilent: false) { throw obstacle }
            do throws(DeviceError) {
                return try await KeyboardTransport.open(
                    device, watch: KeyboardWatch(), givesBack: desk.giver(device.syspath))
            } catch .permissionDenied(let detail) {
                throw .permissionDenied(detail: "\(detail): \(Self.access)")
            }
        }
    }

    /// Its input is inhibited by udev: it is read by its reports, and nobody has to be asked for anything.
    private func attachSilent<Driver: ReaderDriver<KeyInput>>(
        _ device: DeviceIdentity, _ match: DeviceMatch, _ driver: Driver.Type, _ keyboard: KeyboardTerms
    ) async {
        await supervisor.attach(
            device.named(for: Driver.descriptor), match, driver: driver, terms: held(keyboard)
        ) { device throws(DeviceError) in
            if let obstacle = Self.obstacle(device, isSilent: true) { throw obstacle }
            return try await KeyboardTransport.openInhibited(device)
        }
    }

    /// A keyboard that is to be silent, and has no reports: listed with what to do, since udev may have inhibited it.
    func attachDeaf(_ device: DeviceIdentity) async {
        guard
            case .unsupported(let descriptor, let match, let remedy)? = DeviceRoute.deafKeyboard(
                device, configuration), !keyboards.hasReports(device)
        else { return }
        keyboards.deaf.insert(device.syspath)
        await supervisor.attachUnsupported(
            device.named(for: descriptor), match, kind: descriptor.kind, remedy: remedy)
    }

    /// Its reports came a little later than its input.
    func forgetDeaf(beside newcomer: DeviceIdentity) async {
        for syspath in keyboards.heard(with: newcomer, among: devices) { await detach(syspath, .removed) }
    }

    private func held(_ keyboard: KeyboardTerms) -> AttachmentTerms {
        terms(keyboard.options).holding(keyboard.hold)
    }

    /// Why it cannot be read as the configuration says: udev has left its input as another configuration wanted it. Nil where it can.
    static func obstacle(_ device: DeviceIdentity, isSilent: Bool) -> DeviceError? {
        guard InputSurroundings.isInhibited(device) != isSilent else { return nil }
        let what =
            isSilent
            ? "its input is not inhibited, so it would type as well"
            : "its input is inhibited, so nobody gets its keys, and neither does the daemon"
        return .busy(detail: "\(what): \(access)")
    }

    /// The rule asks the configuration when a keyboard is plugged in, and not when the configuration changes.
    private static let access =
        "plug it in again, or: sudo udevadm trigger --action=change -s input -s hidraw"

    /// Another part of a device came: what was taken as a keyboard may be one device with a mouse.
    func giveUpPointers(beside newcomer: DeviceIdentity) async {
        for device in keyboards.pointers(beside: newcomer, among: Array(devices.values), configuration) {
            await detach(device.syspath, .removed)
            await attach(device)
        }
    }

    /// Another keyboard came: one that was refused as the only one may be taken now.
    func reconsiderKeyboards() async {
        guard hasScanned else { return }
        for syspath in keyboards.waiting {
            guard let device = devices[syspath], let keyboard = configuration.keyboardTerms(of: device),
                keyboards.refusal(of: device, keyboard, among: Array(devices.values), configuration) == nil
            else { continue }
            await detach(syspath, .removed)
            await attach(device)
        }
    }

    /// All devices are known: those that waited for it are taken, or listed with the reason why not.
    func attachWaitingKeyboards() async {
        for syspath in keyboards.waiting {
            if let device = devices[syspath] { await attach(device) }
        }
    }
}
