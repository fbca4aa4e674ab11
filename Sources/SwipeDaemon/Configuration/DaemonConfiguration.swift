package import DeviceIO
package import Logging
package import ReaderKit

/// Everything that the configuration can say, checked.
package struct DaemonConfiguration: Sendable, Equatable {
    package struct Server: Sendable, Equatable {
        package var socketPath: String
        package var socketMode: UInt32
        /// Nil: the daemon's own group.
        package var socketGroup: String?
        package var maximumClients: Int
        package var maximumClientsPerUser: Int
        /// How long a swipe is kept for a holder whose connection is gone.
        package var swipeHold: Duration
        /// The folder for what stays after the daemon ends: raised volumes, kinds of readers that a search found.
        package var stateFolder: String
    }

    /// Where the counters are written for Prometheus.
    package struct Metrics: Sendable, Equatable {
        /// Nil: nowhere.
        package var path: String?
        package var interval: Duration
    }

    /// Who has which role.
    package struct Access: Sendable, Equatable {
        package var status: [Principal]
        package var masked: [Principal]
        package var full: [Principal]
        package var admin: [Principal]
    }

    /// An audio reader at a fixed ALSA device.
    package struct AudioReader: Sendable, Hashable {
        package var name: String
        package var device: String
        /// The ALSA device that plays; empty: the same.
        package var playback: String
        /// The mixer elements whose volume is raised; empty: those on the way to a headphone jack.
        package var mixer: [String]
        /// The mixer elements that are the input's gain; empty: Capture, else the microphone's.
        package var gainMixer: [String] = []
        package var jack: JackChoice
        package var setup: AudioSetup
    }

    /// A reader on a serial line.
    package struct SerialReader: Sendable, Hashable {
        package var line: SerialLineConfiguration
        /// The name of its driver.
        package var type: String
        package var options: ReaderOptions
    }

    /// A virtual HID reader: reports from a named pipe into the real driver.
    package struct VirtualHID: Sendable, Hashable {
        package var name: String
        package var vendorID: UInt16
        package var productID: UInt16
        package var source: String
    }

    /// A virtual reader on a line: its bytes from a named pipe into the real driver.
    package struct VirtualSerial: Sendable, Hashable {
        package var name: String
        /// The name of its driver.
        package var type: String
        package var source: String
        package var options: ReaderOptions
    }

    /// A keyboard that is a reader, by its ids, and by its number or place where those are written.
    package struct KeyboardReader: Sendable, Hashable {
        package var name: String
        package var vendorID: UInt16
        package var productID: UInt16
        /// Empty: whichever.
        package var serial: String
        /// Empty: wherever.
        package var port: String
        /// Taken where it is the only keyboard too, or has a pointer.
        package var isForced: Bool
        /// Nothing is typed when the daemon is not there either: udev inhibits its input, and its reports are read.
        package var isSilent: Bool
        package var options: ReaderOptions
    }

    /// A virtual reader that types: its keys from a named pipe into the real driver.
    package struct VirtualKeyboard: Sendable, Hashable {
        package var name: String
        package var source: String
        package var options: ReaderOptions
    }

    /// A virtual audio reader: sound from a named pipe through libasound.
    package struct VirtualAudio: Sendable, Hashable {
        package var name: String
        package var source: String
        package var speed: Double
        /// Where what is played can be read; empty: the card does not play.
        package var sink: String
        /// A named pipe that says whether something is in the jack; empty: there is none.
        package var jack: String
        /// A file with the volume; empty: the card has none.
        package var volume: String
        /// A file with the gain; empty: the card has none.
        package var microphone = ""
        package var setup: AudioSetup

        package var rate: Int { setup.rate }
    }

    /// A name for the reader with that serial number, or for whichever is at that port.
    package struct NamedReader: Sendable, Hashable {
        package var name: String
        /// Empty: whichever.
        package var serial: String
        /// Empty: wherever.
        package var port: String
    }

    package var server: Server
    package var access: Access
    package var metrics: Metrics
    /// The file with the key of cards' hashes; nil: no hashes.
    package var hashKeyPath: String?
    package var logLevel: Logger.Level
    package var isHIDEnabled: Bool
    /// How HID readers behave that can behave in several ways.
    package var hidOptions: ReaderOptions
    package var namedReaders: [NamedReader]
    package var audioReaders: [AudioReader]
    package var serialReaders: [SerialReader]
    package var virtualHID: [VirtualHID]
    package var virtualAudio: [VirtualAudio]
    package var virtualSerial: [VirtualSerial]
    package var virtualKeyboards: [VirtualKeyboard]
    package var keyboardReaders: [KeyboardReader]
    /// Keyboards whose ids are those of readers and of nothing else are taken without a section.
    package var takesKnownKeyboards: Bool
}

extension DaemonConfiguration {
    /// Whether something differs that only a start takes over.
    func isOtherAtStart(than other: DaemonConfiguration) -> Bool {
        server != other.server || metrics != other.metrics || hashKeyPath != other.hashKeyPath
    }
}
