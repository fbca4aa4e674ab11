/// Does something with each of these, some at once: the next one begins when one is over.
package func inParallel<Item: Sendable, Result: Sendable>(
    _ items: [Item], atOnce: Int = 24, _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        var (left, results) = (items[...], [Result]())
        for item in left.prefix(atOnce) { group.addTask { try await body(item) } }
        left = left.dropFirst(atOnce)
        while let result = try await group.next() {
            results.append(result)
            if let item = left.popFirst() { group.addTask { try await body(item) } }
        }
        return results
    }
}
