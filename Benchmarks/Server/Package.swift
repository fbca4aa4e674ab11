// swift-tools-version: 6.2
// Load on the socket server. Why links to the sources: see the package beside this one. It is a package of its own
// because it needs the daemon's packages, which the decoder's benchmarks do without.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let nio = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "server-benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(name: "CSensitiveMemory"),
        .target(name: "CardData", dependencies: ["CSensitiveMemory"], swiftSettings: settings),
        .target(name: "SwipeProtocol", dependencies: ["CardData", "CSensitiveMemory"], swiftSettings: settings),
        .target(
            name: "EventServer", dependencies: ["SwipeProtocol", nio, nioCore, logging], swiftSettings: settings),
        // The clock, sockets and histograms that the programs share.
        .target(name: "LoadMeasures", swiftSettings: settings),
        .executableTarget(
            name: "serverload",
            dependencies: ["EventServer", "SwipeProtocol", "LoadMeasures", nio, nioCore, logging],
            swiftSettings: settings),
        .target(name: "CEpoll"),
        .target(name: "CFuzzing"),
        .executableTarget(name: "fanread", dependencies: ["LoadMeasures", "CEpoll"], swiftSettings: settings),
        .executableTarget(name: "fanfeed", dependencies: ["LoadMeasures"], swiftSettings: settings),
        .executableTarget(name: "fuzzclient", dependencies: ["LoadMeasures", "CFuzzing"], swiftSettings: settings),
    ]
)
