internal import Glibc

/// What the kernel's error numbers mean, for people.
package enum ErrorNumber {
    /// `No such file or directory (errno 2)`.
    package static func words(_ number: Int32) -> String {
        "\(String(cString: strerror(number))) (errno \(number))"
    }
}
