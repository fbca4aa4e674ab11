/// How a service ends, the exit status of its program.
package enum ExitStatus: Int32, Sendable {
    case ok = 0
    case failure = 1
    /// EX_CONFIG: systemd does not restart on it (`RestartPreventExitStatus=78`).
    case badConfiguration = 78
}

/// Why a service does not start.
package struct StartFault: Error {
    package var words: String
    package var exit: ExitStatus

    package init(words: String, exit: ExitStatus = .failure) {
        self.words = words
        self.exit = exit
    }
}
