// swift-tools-version: 6.2
// From a card to a charge. A package of its own, so that the daemon never resolves an HTTP stack; what each target
// may import is in README.md.
import PackageDescription

/// The same as in the package above.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func swiped(_ product: String) -> Target.Dependency { .product(name: product, package: "swiped") }
func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let ssl = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func readmeProgram(_ name: String) -> Target {
    .executableTarget(
        name: name, dependencies: ["Checkout", "CheckoutHTTP"], path: "Tests/ReadmePrograms/\(name)",
        swiftSettings: settings)
}

/// The package above. Where its folder is called as this one, the compiler takes the two for one, and only a link tells them apart;
/// by the link all its sources have other paths, so that whoever builds both in one folder compiles them twice.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased()
let above = folder == "checkout" ? "Dependencies/swiped" : ".."

let package = Package(
    name: "checkout-library",
    products: [
        .library(name: "Checkout", targets: ["Checkout"]),
        .library(name: "CheckoutHTTP", targets: ["CheckoutHTTP"]),
        .library(name: "Receipts", targets: ["Receipts", "ReceiptPDF"]),
        .executable(name: "till", targets: ["till"]),
        .executable(name: "checkout-sandbox", targets: ["checkout-sandbox"]),
    ],
    traits: [
        // Off by itself: who wants no PDF needs no libharu.
        .trait(
            name: "PDF", description: "Receipts as PDF files, made by libharu (apt-get install libhpdf-dev).")
    ],
    dependencies: [
        .package(name: "swiped", path: above),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Pure: no HTTP, no terminal.
        library("Checkout", [swiped("CardData"), swiped("StateMachine"), swiped("SwipeClient")]),
        library(
            "CheckoutHTTP",
            [
                "Checkout", swiped("CardData"), swiped("SwipeProtocol"), httpClient, nio("NIOCore"),
                nio("NIOHTTP1"), nio("NIOPosix"), ssl,
            ]),

        // A payment service for tests and demonstrations.
        library(
            "CheckoutSandbox",
            [
                swiped("CardData"), hummingbird, hummingbirdCore, hummingbirdTLS, httpTypes, database,
                nio("NIOCore"), ssl, logging,
            ]),
        program("checkout-sandbox", ["CheckoutSandbox", swiped("CCommandLine"), arguments]),

        // The terminal till: what it shows, and the program.
        library("TillScreen", ["Checkout", swiped("CardData")]),
        program(
            "till",
            [
                "TillScreen", "Receipts", "ReceiptPDF", "CheckoutHTTP", "Checkout", swiped("SwipeClient"),
                swiped("CardData"), swiped("CCommandLine"), swiped("CWipingHeap"), arguments,
            ]),

        // What a customer gets in the hand: as text; as a PDF, where somebody wants that.
        library("Receipts", ["Checkout", "TillScreen", swiped("CardData")]),
        library("ReceiptPDF", ["Receipts", .target(name: "CHaru", condition: .when(traits: ["PDF"]))]),
        .systemLibrary(name: "CHaru", providers: [.apt(["libhpdf-dev"])]),

        tests(
            "CheckoutTests",
            [
                "Checkout", "TillScreen", "Receipts", "ReceiptPDF", "CheckoutTesting", swiped("CardData"),
                swiped("StateMachine"),
                swiped("SwipeClient"),
            ]),
        // Programs as users run them.
        .target(
            name: "CheckoutTesting", dependencies: [httpClient, nio("NIOCore")],
            path: "Tests/CheckoutTesting",
            swiftSettings: settings),
        tests(
            "CheckoutHTTPTests",
            [
                "Checkout", "CheckoutHTTP", "CheckoutSandbox", "CheckoutTesting", "checkout-sandbox",
                swiped("CardData"), swiped("SwipeClient"), httpClient, nio("NIOCore"), nio("NIOHTTP1"),
            ]),
        // The programs of README.md, which are killed.
        readmeProgram("machine-payer"),
        readmeProgram("component-payer"),
        tests(
            "TillTests", ["CheckoutTesting", "till", "checkout-sandbox", "machine-payer", "component-payer"]),
    ]
)
