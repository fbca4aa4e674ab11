import Foundation
import Testing

/// `Benchmarks/Server/soak` says so where it could not look.
@Suite struct SoakTests {
    /// Without nm, or without being root, nobody knows how many tasks live: that is no day without a leak.
    @Test func tasksThatCannotBeCountedAreAFailure() throws {
        let ended = try FinishedProgram(
            [
                "/usr/bin/env", "PATH=/nonexistent", "/usr/bin/python3", "Benchmarks/Server/soak",
                "--program",
                BuiltProgram.path("swiped").path, "--hours", "1", "--crowd", "1",
            ], limit: 300)
        #expect(ended.status == 1)
        #expect(ended.errors.contains("soak: tasks cannot be counted"))
        #expect(ended.output == "")
    }
}
