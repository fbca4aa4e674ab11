import Glibc

/// A few lines of Python that use the client in `clients/python`, as a program of its own.
package enum PythonScript {
    /// Why a test of it is skipped.
    package static let isMissing = "This test needs python3"
    package static let isThere = access(interpreter, X_OK) == 0

    private static let interpreter = "/usr/bin/python3"
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/clients/python"
    /// A script that hangs ends with its test.
    private static let preamble = """
        import signal, sys
        sys.path.insert(0, sys.argv[1])
        from swiped import Client, SwipedError
        signal.alarm(240)

        """

    /// What a script prints, standard error too. It has `Client` and `SwipedError`, and its arguments from `argv[2]` on.
    package static func run(_ script: String, _ arguments: String...) async -> String {
        let words = [interpreter, "-B", "-c", preamble + script, folder] + arguments
        let command = words.map(quoted).joined(separator: " ")
        return await onThread {
            guard let pipe = popen(command + " 2>&1", "r") else { return "popen: errno \(errno)" }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
            pclose(pipe)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// As a shell's word.
    private static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
