/// What a driver asks of the sound card that its reader is on.
///
/// A transport without playback refuses all of these with ``DeviceError/playbackMissing(detail:)``; whatever was asked for ends
/// with the transport: no tone and no raised volume outlives it.
package enum SoundCommand: Sendable, Hashable {
    /// Plays the tone until it is stopped; a second one takes the first one's place.
    case startTone(PowerTone)
    /// Silence. What ``play(_:rate:)`` still has to say is dropped.
    case stopTone
    /// Plays these samples once, on the tone's channels and in its place, then the tone goes on. Without a tone they
    /// are played alone, on both channels. Full scale is -32768…32767; a card that runs at another rate gets them
    /// converted. Refused with ``DeviceError/busy(detail:)`` where too many wait.
    case play([Int16], rate: Int)
    /// Sets the playback volume to its maximum, after the old one was written down for ``restoreVolume`` and for the
    /// next start. Refused with ``DeviceError/volumeTooLow`` where the card does not go there, and with
    /// ``DeviceError/mixerMissing(detail:)`` where it has no volume.
    case raiseVolume
    /// Puts the volume back. Does nothing where it was not raised.
    case restoreVolume
    /// Opens the microphone. Fails as opening the card does.
    case listen
    /// Closes the microphone: a reader without power has nothing to say, and people distrust an open one.
    case stopListening
}

/// A tone that a reader draws its power from, or wakes up by.
package struct PowerTone: Sendable, Hashable {
    package enum Waveform: String, Sendable, Hashable, CaseIterable { case sine, square }

    /// Where it is heard. On a card with one channel all of them are that one.
    package enum Channels: String, Sendable, Hashable, CaseIterable {
        case left, right
        /// On both, in phase.
        case both
        /// On both, one turned over: the voltage between them is twice that of either, and nothing is left when
        /// something mixes them to one.
        case opposed
    }

    /// Cycles a second.
    package var frequency: Double
    package var waveform: Waveform
    package var channels: Channels
    /// The amplitude, 0…1 of full scale.
    package var level: Double

    package init(frequency: Double, waveform: Waveform, channels: Channels, level: Double = 1) {
        self.frequency = frequency
        self.waveform = waveform
        self.channels = channels
        self.level = level
    }
}
