// swift-tools-version: 6.2
// Why links to the sources and no dependency on the package above: what is fuzzed is not public, and only targets of
// one package see each other's `package` declarations. libFuzzer brings its own main.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Without libFuzzer's hooks for comparisons, for long runs.
let isQuiet = Context.environment["SWIPED_QUIET_HOOKS"] != nil

/// By name and not by order: libFuzzer stands before everything on the linker's command line.
let quietHooks = ["cmp1", "cmp2", "cmp4", "cmp8"].flatMap { [$0, "const_" + $0] } + ["switch"]
let quietFlags = quietHooks.flatMap { ["-Xlinker", "--wrap=__sanitizer_cov_trace_" + $0] }

func fuzzer(
    _ name: String, _ dependencies: [Target.Dependency] = ["HIDReaders", "ReaderKit", "CardData"]
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + (isQuiet ? ["CQuietHooks"] : []),
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
        linkerSettings: isQuiet ? [.unsafeFlags(quietFlags)] : [])
}

let package = Package(
    name: "fuzzing",
    targets: [
        .target(name: "CSensitiveMemory"),
        .target(name: "CQuietHooks"),
        .target(name: "CardData", dependencies: ["CSensitiveMemory"], swiftSettings: settings),
        .target(name: "StateMachine", swiftSettings: settings),
        .target(name: "ReaderKit", dependencies: ["CardData", "StateMachine"], swiftSettings: settings),
        .target(name: "ReaderPackets", dependencies: ["ReaderKit", "CardData"], swiftSettings: settings),
        .target(
            name: "HIDReaders", dependencies: ["ReaderPackets", "ReaderKit", "CardData"],
            swiftSettings: settings),
        fuzzer("FuzzReport"),
        fuzzer("FuzzPacket", ["ReaderPackets", "ReaderKit", "CardData"]),
        fuzzer("FuzzStream", ["Captures", "ReaderKit", "CardData"]),
        fuzzer("FuzzCapture", ["Captures", "ReaderKit", "CardData"]),
        fuzzer("FuzzDescriptor"),
        .target(name: "SectionFiles", swiftSettings: settings),
        // What reads the bits is internal.
        .target(
            name: "StripeSignal", dependencies: ["CardData", "SectionFiles"],
            swiftSettings: settings + [.unsafeFlags(["-enable-testing"])]),
        .target(
            name: "AudioReaders",
            dependencies: [
                "ReaderPackets", "ReaderKit", "StateMachine", "StripeSignal", "SectionFiles", "CardData",
            ], swiftSettings: settings),
        .target(
            name: "MSRReaders", dependencies: ["ReaderPackets", "ReaderKit", "StripeSignal", "CardData"],
            swiftSettings: settings),
        .target(name: "SerialReaders", dependencies: ["HIDReaders", "ReaderKit"], swiftSettings: settings),
        .target(
            name: "KeyboardReaders", dependencies: ["HIDReaders", "ReaderKit", "CardData"],
            swiftSettings: settings),
        .target(
            name: "ReaderCatalog",
            dependencies: [
                "HIDReaders", "AudioReaders", "MSRReaders", "SerialReaders", "KeyboardReaders",
                "SectionFiles", "ReaderKit",
            ], swiftSettings: settings),
        .target(
            name: "Captures",
            dependencies: ["ReaderCatalog", "HIDReaders", "ReaderPackets", "ReaderKit", "CardData"],
            swiftSettings: settings),
        fuzzer("FuzzEncoder", ["MSRReaders", "ReaderKit", "CardData"]),
        fuzzer("FuzzSerial", ["SerialReaders", "ReaderKit", "CardData"]),
        fuzzer("FuzzKeys", ["KeyboardReaders", "ReaderKit", "CardData"]),
        fuzzer("FuzzTracks", ["StripeSignal", "CardData"]),
        fuzzer("FuzzFiles", ["AudioReaders", "StripeSignal", "SectionFiles", "CardData"]),
        .target(
            name: "SwipeProtocol", dependencies: ["CardData", "CSensitiveMemory"], swiftSettings: settings),
        fuzzer("FuzzLine", ["SwipeProtocol"]),
    ]
)
