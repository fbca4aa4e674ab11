import Foundation
import Testing

/// Claims at random on a running daemon, beside a model in another language; `Benchmarks/Server/claims` says what they
/// are, and runs longer by hand.
@Suite struct ClaimModelTests {
    @Test(arguments: [1, 2]) func theDaemonDoesWhatTheModelSays(seed: Int) throws {
        let ended = try FinishedProgram([
            "python3", "Benchmarks/Server/claims", "--program", BuiltProgram.path("swiped").path,
            "--daemons", "2", "--steps", "60", "--seed", "\(seed * 100)",
        ])
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains(#""ok": true"#))
    }
}
