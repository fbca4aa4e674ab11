import FoundationEssentials

/// A configuration in a folder of its own, for the time of a test.
/// - Parameter body: gets the main file's path.
@discardableResult
func withConfiguration<Value>(
    _ text: String, dropIns: [String: String] = [:], _ body: (String) async throws -> Value
) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "swiped-\(UUID().uuidString)")
        .path
    let path = "\(folder)/swiped.conf"
    try FileManager.default.createDirectory(atPath: "\(path).d", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    for (name, text) in dropIns {
        try text.write(toFile: "\(path).d/\(name)", atomically: true, encoding: .utf8)
    }
    return try await body(path)
}
