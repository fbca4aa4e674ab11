import Glibc
import ReaderKit

/// Changes the volume of one side of a card and puts it back. Used by one thread.
struct VolumeKeeper {
    /// What counts as the maximum: rounding takes the rest.
    static let loudest = 99

    private let configuration: VolumeConfiguration?
    /// What was set before; nil where nothing is raised. The file is for the next start: it may be removed meanwhile.
    private var old: VolumeRecord?

    init(_ configuration: VolumeConfiguration?) { self.configuration = configuration }

    mutating func raise() throws(DeviceError) {
        guard let configuration else { throw .mixerMissing(detail: "no mixer is configured") }
        let mixer = try MixerHandle(configuration)
        try writeDown(mixer, configuration)
        mixer.raise()
        guard mixer.percent() >= Self.loudest else { throw .volumeTooLow }
    }

    /// Sets so much of the range, and looks whether the card took it.
    mutating func set(percent: Int) throws(DeviceError) {
        guard let configuration else { throw .mixerMissing(detail: "no mixer is configured") }
        let mixer = try MixerHandle(configuration)
        try writeDown(mixer, configuration)
        mixer.setAll(percent: percent)
        guard try MixerHandle(configuration).stands(at: percent) else {
            throw .system(errno: EIO, operation: "setting the gain of \(configuration.control)")
        }
    }

    private mutating func writeDown(
        _ mixer: borrowing MixerHandle, _ configuration: VolumeConfiguration
    ) throws(DeviceError) {
        let written = VolumeRecords.record(configuration)
        // What an earlier run wrote down is older than what is set now, and still what people had set. It may tell of
        // other elements than those that are raised from now on.
        var record = old ?? written ?? VolumeRecord(control: configuration.control, settings: [])
        if record.add(mixer.settings()) { record.add(mixer.neighboursOn()) }
        if record != written { try VolumeRecords.write(record, configuration) }
        old = record
    }

    /// Puts the volume back where it was raised.
    mutating func putBack() throws(DeviceError) {
        guard let configuration, let old else { return }
        try VolumeRecords.putBack(old, configuration)
        self.old = nil
    }

    /// The same at the end: where it fails, the record stays for the next start.
    ///
    /// - Returns: why the volume stays raised; nil where it does not.
    mutating func restore() -> DeviceError? {
        do throws(DeviceError) { try putBack() } catch { return error }
        return nil
    }
}

/// Looks at the playback volume once a block. Used by one thread.
struct VolumeGauge: ~Copyable {
    private let mixer: MixerHandle

    /// Nil where there is no volume to look at.
    init?(_ configuration: VolumeConfiguration?) {
        guard let configuration else { return nil }
        do throws(DeviceError) { mixer = try MixerHandle(configuration) } catch { return nil }
    }

    borrowing func percent() -> Int { mixer.percent() }
}
