package import Logging

/// Everything that the daemon can be told, checked.
package struct DaemonConfiguration: Sendable, Equatable {
    package struct Server: Sendable, Equatable {
        package var socketPath: String
        package var socketMode: UInt32
        /// Nil: the daemon's own group.
        package var socketGroup: String?
        package var maximumClients: Int
        package var maximumClientsPerUser: Int
        /// How long a swipe is kept for a claimant whose connection is gone.
        package var swipeHold: Duration
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
        /// The kind of reader at it, as the catalogue names it.
        package var kind: String
        package var rate: Int
    }

    /// A virtual HID reader: reports from a named pipe into the real driver.
    package struct VirtualHID: Sendable, Hashable {
        package var name: String
        package var vendorID: UInt16
        package var productID: UInt16
        package var source: String
    }

    /// A virtual audio reader: sound from a named pipe through libasound.
    package struct VirtualAudio: Sendable, Hashable {
        package var name: String
        package var source: String
        package var rate: Int
        package var speed: Double
    }

    package var server: Server
    package var access: Access
    package var metrics: Metrics
    package var logLevel: Logger.Level
    package var isHIDEnabled: Bool
    package var audioReaders: [AudioReader]
    package var virtualHID: [VirtualHID]
    package var virtualAudio: [VirtualAudio]
}
