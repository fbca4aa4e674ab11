import Testing

/// The programs of tests begin here. With a file of this name the package manager does not look for tests of XCTest, of which there is
/// none and for which it would need an index of all symbols: a fifth of the compiler's time (docs/performance.md).
@main
struct TestProgram {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
