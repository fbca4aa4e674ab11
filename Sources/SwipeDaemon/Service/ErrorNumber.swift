import SystemPackage

/// What the kernel's error numbers mean, for people.
enum ErrorNumber {
    /// `No such file or directory (errno 2)`.
    static func words(_ number: Int32) -> String { "\(Errno(rawValue: number)) (errno \(number))" }
}
