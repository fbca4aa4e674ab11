import Glibc

/// Standard error: progress and complaints, apart from the table.
enum Complaint {
    static func tell(_ line: String) {
        var line = line
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
