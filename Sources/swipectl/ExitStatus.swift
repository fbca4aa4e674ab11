import ArgumentParser

/// What swipectl tells the shell. Scripts branch on these numbers: they never change their meaning.
enum ExitStatus: Int32 {
    case success = 0
    /// Something went wrong that no other number names.
    case failure = 1
    /// The command line was not understood.
    case usage = 2
    /// Nothing listens on the socket.
    case noDaemon = 3
    /// The daemon is there, the named reader is not.
    case noSuchReader = 4
    /// The socket, or what was asked on it, is not allowed to this user.
    case denied = 5
    /// What was to be read could be read, and there is no swipe in it.
    case nothingFound = 6
}

/// A command's way to end with a status and one clear message on standard error.
struct CommandFailure: Error, CustomStringConvertible {
    let status: ExitStatus
    /// What happened, in one line: names of files and devices may stand in it.
    let description: String
    /// What the user can do about it, where that takes lines of its own.
    let advice: String?

    init(_ status: ExitStatus, _ description: String, advice: String? = nil) {
        self.status = status
        self.description = description
        self.advice = advice
    }

    /// Says it all.
    func tell() {
        Output.complain(description)
        if let advice { Output.error(advice + "\n") }
    }
}
