import Foundation

/// A terminal of software.
final class Tmux {
    /// The server goes on with what its first client had open. Who waits for that client's end waits for a descriptor to close, too.
    private static let start = """
        for file in /proc/self/fd/*; do
            [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"
        done
        exec tmux -S "$@" >/dev/null 2>&1
        """

    private let socket: String

    init(columns: Int, socket: String) throws {
        self.socket = socket
        _ = try FinishedProgram([
            "bash", "-c", Self.start, "bash", socket, "-f", "/dev/null", "new-session", "-d", "-x",
            "\(columns)",
            "-y", "24", "env", "TERM=screen", "PS1=$ ", "sh",
        ])
    }

    deinit { _ = try? run(["kill-server"]) }

    @discardableResult
    private func run(_ words: [String]) throws -> String {
        try FinishedProgram(["tmux", "-S", socket] + words, environment: ["LC_ALL": "C.UTF-8"]).output
    }

    func type(_ line: String) throws { try run(["send-keys", line, "Enter"]) }
    func press(_ key: String) throws { try run(["send-keys", key]) }
    func resize(columns: Int) throws { try run(["resize-window", "-x", "\(columns)", "-y", "24"]) }

    /// What is on it, once that is as expected; or as it is after ten seconds.
    func screen(coloured: Bool = false, until isExpected: (String) -> Bool) throws -> String {
        var text = ""
        for _ in 0..<200 {
            text = try run(["capture-pane", "-p"] + (coloured ? ["-e"] : []))
            if isExpected(text) { break }
            usleep(50_000)
        }
        return text
    }
}
