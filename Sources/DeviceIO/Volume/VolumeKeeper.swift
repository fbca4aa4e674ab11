import ReaderKit

/// Raises the playback volume of one card and puts it back. Used by one thread.
struct VolumeKeeper {
    /// What counts as the maximum: rounding takes the rest.
    static let loudest = 99

    private let configuration: VolumeConfiguration?
    private var isRaised = false

    init(_ configuration: VolumeConfiguration?) { self.configuration = configuration }

    mutating func raise() throws(DeviceError) {
        guard let configuration else { throw .mixerMissing(detail: "no mixer is configured") }
        let mixer = try MixerHandle(configuration)
        // What an earlier run wrote down is older than what is set now, and still what people had set.
        if VolumeRecords.record(configuration) == nil {
            let record = VolumeRecord(control: configuration.control, settings: mixer.settings())
            try VolumeRecords.write(record, configuration)
        }
        isRaised = true
        mixer.raise()
        guard mixer.percent() >= Self.loudest else { throw .volumeTooLow }
    }

    /// Puts the volume back where it was raised.
    mutating func putBack() throws(DeviceError) {
        guard isRaised, let configuration, let record = VolumeRecords.record(configuration) else { return }
        let mixer = try MixerHandle(configuration)
        mixer.set(record.settings)
        VolumeRecords.remove(configuration)
        isRaised = false
    }

    /// The same where nobody hears of a failure: the record stays for the next start.
    mutating func restore() {
        do throws(DeviceError) { try putBack() } catch { return }
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
