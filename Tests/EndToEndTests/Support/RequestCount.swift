import Foundation
import Testing

extension LineClient {
    /// Starts something that talks to the daemon, and waits until the daemon has counted so many requests of it: what
    /// happens before that would not be its.
    func waitForRequests<Result>(_ count: Int64 = 1, of start: () throws -> Result) throws -> Result {
        let before = try requestsCounted()
        let result = try start()
        var own: Int64 = 1
        while try requestsCounted() - before < own + count { own += 1 }
        return result
    }

    /// How many requests the daemon has counted, this one included.
    private func requestsCounted() throws -> Int64 {
        send(#"{"id":"requests","method":"stats"}"#)
        let answer = try lines(through: #""id":"requests""#).last ?? ""
        let count = try #require(answer.firstMatch(of: /"requests":([0-9]+)/)).1
        return try #require(Int64(count))
    }
}
