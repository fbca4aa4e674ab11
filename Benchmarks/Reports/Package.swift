// swift-tools-version: 6.2
// From a report to its line, measured on the daemon as it is installed. Needs no package: it is a client of sockets.
import PackageDescription

let package = Package(
    name: "report-benchmark",
    targets: [.executableTarget(name: "reportlatency", swiftSettings: [.swiftLanguageMode(.v6)])]
)
