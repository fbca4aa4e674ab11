import Foundation

/// A program of this package, as the build left it beside the tests.
enum BuiltProgram {
    static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    static func path(_ name: String) -> URL {
        // The test bundle is a file in the products' folder, or is run from inside of one.
        let beside = folder.appending(path: name)
        return FileManager.default.isExecutableFile(atPath: beside.path)
            ? beside : folder.deletingLastPathComponent().appending(path: name)
    }

    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
}
