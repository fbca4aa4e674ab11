// swift-tools-version: 6.2
// Why links to the sources and no dependency on the package above: what is measured is not public, and only targets
// of one package see each other's `package` declarations. It also builds in seconds, without the daemon's packages.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "benchmarks",
    targets: [
        .target(name: "CSensitiveMemory"),
        .target(name: "CardData", dependencies: ["CSensitiveMemory"], swiftSettings: settings),
        .target(name: "SectionFiles", swiftSettings: settings),
        .target(name: "StripeSignal", dependencies: ["CardData", "SectionFiles"], swiftSettings: settings),
        .target(name: "WaveformSynthesis", dependencies: ["CardData"], swiftSettings: settings),
        .target(name: "StateMachine", swiftSettings: settings),
        .target(name: "ReaderKit", dependencies: ["CardData", "StateMachine"], swiftSettings: settings),
        .target(name: "ReaderPackets", dependencies: ["ReaderKit", "CardData"], swiftSettings: settings),
        .target(
            name: "AudioReaders",
            dependencies: [
                "ReaderPackets", "ReaderKit", "StripeSignal", "SectionFiles", "CardData", "StateMachine",
            ],
            swiftSettings: settings),
        // What the Swift front end is measured against.
        .target(name: "CFrontEnd", cSettings: [.unsafeFlags(["-O3"])]),
        .target(name: "CAllocationCount"),
        .executableTarget(
            name: "FrontEndBenchmark",
            dependencies: [
                "AudioReaders", "ReaderKit", "StripeSignal", "WaveformSynthesis", "CFrontEnd",
                "CAllocationCount",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "DecoderBenchmark", dependencies: ["StripeSignal", "WaveformSynthesis", "CardData"],
            swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m")]),
    ]
)
