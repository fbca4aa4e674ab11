// swift-tools-version: 6.2
// The map of this package, and what each target may import, is in ARCHITECTURE.md.
import PackageDescription

/// Every target of ours is compiled with these: the compiler then checks what would otherwise be review comments.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Where the other packages are: at their addresses, or in a folder as Debian's source package has them (debian/rules).
func other(_ name: String, from version: Version) -> Package.Dependency {
    if let folder = Context.environment["SWIPED_CHECKOUTS"] { return .package(path: "\(folder)/\(name)") }
    return .package(url: "https://github.com/apple/\(name)", from: version)
}

func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// With what computes for seconds on end in tests: optimised in debug builds too, some ten times as fast, with the checks of a
/// debug build. `SWIPED_DEBUG_ALL=1` leaves that out, for a debugger.
let fastSettings: [SwiftSetting] =
    Context.environment["SWIPED_DEBUG_ALL"] != nil
    ? settings : settings + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// A library that computes on every sample of a sound, or of which tests read cards by the thousand.
func signalLibrary(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: fastSettings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A program that measures, in `Benchmarks/`.
func measuring(_ name: String, _ dependencies: [Target.Dependency], in folder: String) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Benchmarks/\(folder)/\(name)", swiftSettings: settings)
}

/// What measures and loads the running parts, for release builds. Only who asks for it pays for it:
/// `SWIPED_BENCHES=1 swift build -c release --product serverload`.
let benches: [Target] = [
    // Load on the socket server, and fuzzing of the running daemon.
    .target(
        name: "LoadMeasures", dependencies: ["UnixIO"], path: "Benchmarks/Server/LoadMeasures",
        swiftSettings: settings),
    .target(name: "CEpoll", path: "Benchmarks/Server/CEpoll"),
    .target(name: "CFuzzing", path: "Benchmarks/Server/CFuzzing"),
    measuring(
        "serverload",
        ["EventServer", "SwipeProtocol", "LoadMeasures", nio("NIOCore"), nio("NIOPosix"), logging],
        in: "Server"),
    measuring("fanread", ["LoadMeasures", "CEpoll"], in: "Server"),
    measuring("fanfeed", ["LoadMeasures", "UnixIO"], in: "Server"),
    measuring("fuzzclient", ["LoadMeasures", "UnixIO", "ReaderTesting", "CFuzzing"], in: "Server"),
    // From a report to its line, on the daemon as it is installed.
    measuring("reportlatency", ["LoadMeasures", "CEpoll"], in: "Reports"),
    .executableTarget(
        name: "pipeecho", path: "Benchmarks/Reports/pipeecho", cSettings: [.treatAllWarnings(as: .error)]),
    // WebSockets that send back what they get, over the gateway's own handlers.
    measuring(
        "webecho",
        ["SwipedWeb", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket")], in: "Web"),
    // How much of what a reader says comes through the modem.
    .executableTarget(
        name: "modem-bench", dependencies: ["AudioReaders", "ReaderKit", "ReaderTesting", "JackBench"],
        path: "Tests/VirtualDevices/modem-bench", swiftSettings: settings),
]

/// The fuzzers as libraries, to see that they fit what they take apart: `SWIPED_FUZZERS=1`, for debug builds. Their own package
/// (`Fuzzing/`) compiles all of it once more, with the fuzzer's hooks.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Fuzzing/Sources/\(name)", swiftSettings: settings)
}
let fuzzers: [Target] = [
    fuzzer("FuzzReport", ["HIDReaders", "ReaderKit", "CardData"]),
    fuzzer("FuzzPacket", ["ReaderPackets", "ReaderKit", "CardData"]),
    fuzzer("FuzzStream", ["Captures", "ReaderKit", "CardData"]),
    fuzzer("FuzzCapture", ["Captures", "ReaderKit", "CardData"]),
    fuzzer("FuzzDescriptor", ["HIDReaders", "ReaderKit"]),
    fuzzer("FuzzEncoder", ["MSRReaders", "ReaderKit", "CardData"]),
    fuzzer("FuzzSerial", ["SerialReaders", "ReaderKit", "CardData"]),
    fuzzer("FuzzKeys", ["KeyboardReaders", "ReaderKit", "CardData"]),
    fuzzer("FuzzTracks", ["StripeSignal", "CardData"]),
    fuzzer("FuzzFiles", ["AudioReaders", "StripeSignal", "SectionFiles", "CardData"]),
    fuzzer("FuzzLine", ["SwipeProtocol"]),
]

let package = Package(
    name: "swiped",
    products: [
        .library(name: "CardData", targets: ["CardData"]),
        .library(name: "StateMachine", targets: ["StateMachine"]),
        .library(name: "SwipeProtocol", targets: ["SwipeProtocol"]),
        .library(name: "SwipeClient", targets: ["SwipeClient"]),
        // For programs that handle cards: a heap that forgets.
        .library(name: "CWipingHeap", targets: ["CWipingHeap"]),
        // For programs that may be started where /proc is not mounted.
        .library(name: "CCommandLine", targets: ["CCommandLine"]),
        // libasound loads it by this name; never linked.
        .library(name: "asound_module_pcm_swiped", type: .dynamic, targets: ["VirtualSoundCard"]),
        .executable(name: "swiped", targets: ["swiped"]),
        .executable(name: "swipectl", targets: ["swipectl"]),
        .executable(name: "swiped-web", targets: ["swiped-web"]),
        .executable(name: "swiped-mqtt", targets: ["swiped-mqtt"]),
    ],
    dependencies: [
        other("swift-nio", from: "2.101.2"),
        // For swiped-web alone, which may speak TLS.
        other("swift-nio-ssl", from: "2.37.6"),
        other("swift-log", from: "1.16.2"),
        other("swift-argument-parser", from: "1.8.2"),
        other("swift-system", from: "1.8.1"),
    ],
    targets: [
        // Pure values: no Glibc, no clock, no tasks, no logging.
        // The one exception: locked, wiped memory for card data, which Swift cannot give itself.
        .target(name: "CSensitiveMemory"),
        signalLibrary("CardData", ["CSensitiveMemory"]),
        library("StateMachine"),
        library("SectionFiles"),
        signalLibrary("StripeSignal", ["CardData", "SectionFiles"]),
        library("SwipeProtocol", ["CardData", "CSensitiveMemory"]),
        library("ReaderKit", ["CardData", "StateMachine"]),
        signalLibrary("ReaderPackets", ["ReaderKit", "CardData"]),
        signalLibrary("HIDReaders", ["ReaderPackets", "ReaderKit", "CardData"]),
        signalLibrary(
            "AudioReaders",
            ["ReaderPackets", "ReaderKit", "StateMachine", "StripeSignal", "SectionFiles", "CardData"]),
        signalLibrary("MSRReaders", ["ReaderPackets", "ReaderKit", "StripeSignal", "CardData"]),
        library("SerialReaders", ["HIDReaders", "ReaderKit", "CardData"]),
        signalLibrary("KeyboardReaders", ["HIDReaders", "ReaderKit", "CardData"]),
        library(
            "ReaderCatalog",
            [
                "HIDReaders", "AudioReaders", "MSRReaders", "SerialReaders", "KeyboardReaders",
                "SectionFiles",
                "ReaderKit",
            ]),
        signalLibrary("Captures", ["ReaderCatalog", "HIDReaders", "ReaderPackets", "ReaderKit", "CardData"]),
        signalLibrary("WaveformSynthesis", ["CardData"]),

        // The rim: the only code that touches Linux.
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CHIDAPI", pkgConfig: "hidapi-hidraw", providers: [.apt(["libhidapi-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CXKBCommon", pkgConfig: "xkbcommon", providers: [.apt(["libxkbcommon-dev"])]),
        // What the keys of a reader mean that was set for another country's keyboard.
        library("KeyboardLayouts", ["KeyboardReaders", "ReaderKit", "CXKBCommon"]),
        // A sound card of software: a plugin of libasound, for machines without a reader.
        .target(
            name: "VirtualSoundCard",
            cSettings: [.define("PIC"), .treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("asound"), .linkedLibrary("m")]),
        .systemLibrary(name: "CUmockdev", pkgConfig: "umockdev-1.0", providers: [.apt(["libumockdev-dev"])]),
        // What several libraries need of Glibc.
        library("UnixIO"),
        // Descriptors that an event loop of NIO's cannot watch itself.
        .target(name: "CSourcePoll", cSettings: [.treatAllWarnings(as: .error)]),
        library(
            "DeviceIO", ["UnixIO", "ReaderKit", "CSourcePoll", "CUdev", "CHIDAPI", "CALSA", systemPackage]),
        library(
            "EventServer",
            [
                "UnixIO", "SwipeProtocol", nio("NIOCore"), nio("NIOPosix"), nio("NIOConcurrencyHelpers"),
                logging,
            ]),
        library("SwipeClient", ["UnixIO", "SwipeProtocol", "CardData"]),

        // HMAC, for the hashes of cards.
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),

        // What a service of systemd's needs: the journal, readiness, handed over sockets, a file of metrics.
        library("ServiceSupport", ["SectionFiles", "UnixIO", logging]),

        // What the programs of services share: the command line's end, and what keeps cards in.
        library("ProgramSupport", ["ServiceSupport", "UnixIO", "CWipingHeap", "CCommandLine"]),

        // What came from a reader, and its shape without a character.
        library("ReaderRecordings", ["Captures", "ReaderKit", "SwipeProtocol", "CardData"]),
        // What is wrong with a system: what follows from facts, and who gathers them.
        library("Diagnosis", ["SwipeProtocol"]),
        library("Inspection", ["Diagnosis", "ReaderCatalog", "ReaderKit", "SectionFiles", "CALSA"]),

        // The composition and its two programs.
        library(
            "SwipeDaemon",
            [
                "ReaderCatalog", "KeyboardReaders", "KeyboardLayouts", "DeviceIO", "EventServer",
                "StripeSignal",
                "SwipeProtocol", "ReaderKit", "CardData", "SectionFiles", "WaveformSynthesis", "UnixIO",
                "ServiceSupport", "CNettle",
                nio("NIOCore"), nio("NIOPosix"), nio("NIOConcurrencyHelpers"), logging, systemPackage,
            ]),
        // Every block of the daemon's heap is overwritten when it is freed.
        .target(
            name: "CWipingHeap", dependencies: ["CSensitiveMemory"],
            cSettings: [.treatAllWarnings(as: .error)]),
        // What a program was started with, also where /proc is not mounted, and an end with words there.
        .target(name: "CCommandLine", cSettings: [.treatAllWarnings(as: .error)]),
        program(
            "swiped",
            ["SwipeDaemon", "ProgramSupport", "ServiceSupport", "CWipingHeap", "CCommandLine"]),
        program(
            "swipectl",
            [
                "SwipeClient", "SwipeProtocol", "ReaderCatalog", "Captures", "HIDReaders", "AudioReaders",
                "KeyboardReaders", "KeyboardLayouts", "ReaderKit", "StripeSignal", "DeviceIO", "UnixIO",
                "WaveformSynthesis", "CardData",
                "CCommandLine", "Diagnosis", "Inspection", "ReaderRecordings", arguments,
                systemPackage,
            ]),

        // The gateway for pages in a browser: a client of the daemon, which never links any of it.
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        library(
            "SwipedWeb",
            [
                "SwipeProtocol", "SectionFiles", "ServiceSupport", "Diagnosis", "CCrypt", nio("NIOCore"),
                nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), logging,
            ]),
        program("swiped-web", ["SwipedWeb", "SwipeProtocol", "ProgramSupport", "ServiceSupport"]),

        // The bridge to an MQTT broker: a client of the daemon, which never links libmosquitto.
        .systemLibrary(
            name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        library(
            "SwipedMQTT",
            [
                "SwipeClient", "SwipeProtocol", "CardData", "SectionFiles", "ServiceSupport", "UnixIO",
                "CMosquitto",
                logging,
            ]),
        program(
            "swiped-mqtt",
            [
                "SwipedMQTT", "SwipeProtocol", "ProgramSupport", "ServiceSupport", "CWipingHeap",
                "CCommandLine",
            ]),

        // Virtual readers, replay and fault transports; never linked into the daemon.
        signalLibrary(
            "ReaderTesting", ["AudioReaders", "KeyboardReaders", "ReaderPackets", "ReaderKit", "CardData"]),

        // Readers of software for tests: a USB hub in an umockdev testbed, and a program that says what it sees.
        .executableTarget(
            name: "hid-bench", dependencies: ["CUmockdev"], path: "Tests/VirtualDevices/hid-bench"),
        .executableTarget(
            name: "device-probe", dependencies: ["DeviceIO", "ReaderKit"],
            path: "Tests/VirtualDevices/device-probe",
            swiftSettings: settings),

        // A simulated reader in the jack of a virtual sound card.
        .target(
            name: "JackBench",
            dependencies: ["AudioReaders", "DeviceIO", "UnixIO", "ReaderKit", "ReaderTesting"],
            path: "Tests/VirtualDevices/JackBench", swiftSettings: settings),
        // The same as a program between two pipes, for the kernel's loopback card.
        .executableTarget(
            name: "jack-reader", dependencies: ["AudioReaders", "ReaderKit", "ReaderTesting"],
            path: "Tests/VirtualDevices/jack-reader", swiftSettings: settings),

        // What tests of several targets need.
        .target(
            name: "TestSupport", dependencies: ["EventServer", "SwipeProtocol", "UnixIO"],
            path: "Tests/Support",
            swiftSettings: settings),

        tests("CardDataTests", ["CardData", "ReaderTesting"]),
        tests("StateMachineTests", ["StateMachine"]),
        tests("StripeSignalTests", ["StripeSignal", "WaveformSynthesis", "CardData"]),
        tests("ReaderKitTests", ["ReaderKit", "ReaderTesting", "StateMachine", "CardData"]),
        tests(
            "HIDReadersTests",
            [
                "HIDReaders", "Captures", "ReaderPackets", "ReaderCatalog", "ReaderKit", "ReaderTesting",
                "CardData",
            ]),
        tests(
            "MSRReadersTests",
            [
                "MSRReaders", "SerialReaders", "ReaderCatalog", "ReaderKit", "ReaderTesting", "StripeSignal",
                "WaveformSynthesis", "CardData",
            ]),
        tests(
            "KeyboardReadersTests",
            [
                "KeyboardReaders", "KeyboardLayouts", "HIDReaders", "ReaderKit", "ReaderTesting",
                "CardData",
            ]),
        tests(
            "AudioReadersTests",
            [
                "AudioReaders", "ReaderPackets", "ReaderKit", "ReaderTesting", "StateMachine",
                "SectionFiles", "WaveformSynthesis", "CardData",
            ]),
        tests(
            "DeviceIOTests",
            [
                "DeviceIO", "UnixIO", "ReaderKit", "AudioReaders", "ReaderTesting", "JackBench", "hid-bench",
                "device-probe", "TestSupport",
            ]),
        tests("ProgramSupportTests", ["ProgramSupport", "TestSupport"]),
        tests("DiagnosisTests", ["Diagnosis", "Inspection", "SwipeProtocol"]),
        tests(
            "ReaderRecordingsTests",
            [
                "ReaderRecordings", "ReaderKit", "KeyboardReaders", "MSRReaders", "ReaderTesting",
                "SwipeProtocol",
            ]),
        tests("SwipeProtocolTests", ["SwipeProtocol", "ReaderTesting", "CardData", "TestSupport"]),
        tests(
            "EventServerTests",
            [
                "EventServer", "UnixIO", "SwipeProtocol", "ReaderTesting", "TestSupport",
                nio("NIOConcurrencyHelpers"),
                nio("NIOCore"), nio("NIOPosix"), logging,
            ]),
        tests(
            "SwipeClientTests",
            [
                "SwipeClient", "UnixIO", "SwipeProtocol", "EventServer", "TestSupport", nio("NIOCore"),
                nio("NIOPosix"),
                logging,
            ]),
        tests(
            "SwipeDaemonTests",
            [
                "SwipeDaemon", "ServiceSupport", "EventServer", "DeviceIO", "HIDReaders", "Captures",
                "AudioReaders", "ReaderTesting",
                "SwipeProtocol", "UnixIO", "ReaderKit", "CardData", nio("NIOCore"), nio("NIOPosix"),
                nio("NIOConcurrencyHelpers"), logging,
            ]),
        // Whole programs: the built swiped and swipectl, run as a user runs them.
        tests(
            "EndToEndTests",
            [
                "swiped", "hid-bench", "jack-reader", "SwipeClient", "SwipeProtocol", "WaveformSynthesis",
                "CardData",
                "AudioReaders", "KeyboardReaders", "DeviceIO", "UnixIO", "ReaderKit", "ReaderTesting",
                "JackBench",
                "TestSupport",
            ]),
        // The gateway's values, and both programs with pages of raw bytes.
        tests(
            "SwipedWebTests",
            ["SwipedWeb", "swiped", "swiped-web", "ServiceSupport", "SwipeProtocol", "TestSupport"]),
        // The bridge's values, and both programs with a real broker.
        tests(
            "SwipedMQTTTests",
            [
                "SwipedMQTT", "swiped", "swiped-mqtt", "SwipeDaemon", "SwipeClient", "ServiceSupport",
                "SwipeProtocol", "ReaderKit",
                "ReaderTesting", "CardData", "TestSupport",
            ]),
        // They read every line of the tree.
        .testTarget(name: "HouseRulesTests", swiftSettings: fastSettings),
    ]
)

// NIO's own: in a folder a package finds only what is named here.
if Context.environment["SWIPED_CHECKOUTS"] != nil {
    package.dependencies += [
        other("swift-atomics", from: "1.3.0"), other("swift-collections", from: "1.6.0"),
    ]
}
if Context.environment["SWIPED_BENCHES"] != nil { package.targets += benches }
if Context.environment["SWIPED_FUZZERS"] != nil { package.targets += fuzzers }
// Some of the test targets alone, as `SWIPED_TESTS=ReaderKitTests,DeviceIOTests`: a sanitizer's build is for few of them.
if let names = Context.environment["SWIPED_TESTS"] {
    package.targets.removeAll { $0.type == .test && !names.split(separator: ",").contains($0.name[...]) }
    // With its TLS, minutes of a processor: only where it is what is tested.
    if !names.contains("SwipedWebTests") {
        package.targets.removeAll { ["SwipedWeb", "swiped-web"].contains($0.name) }
        package.products.removeAll { $0.name == "swiped-web" }
    }
}
