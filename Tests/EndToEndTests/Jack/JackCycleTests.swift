import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// One daemon, and a reader that is plugged in again and again, each life with another end.
@Suite(.serialized, .timeLimit(.minutes(60))) struct JackCycleTests {
    /// 500 where they are asked for: they take a quarter of an hour.
    private static let cycles =
        ProcessInfo.processInfo.environment["SWIPED_JACK_CYCLES"].flatMap { Int($0) } ?? 10

    private enum End: Int, CaseIterable { case swipe, timeout, midSwipe, powerUp, deactivation }

    /// What grows where something is not given back.
    private struct Holdings: CustomStringConvertible {
        var descriptors: Int
        var threads: Int
        var residentKilobytes: Int
        var description: String { "\(descriptors) descriptors, \(threads) threads, \(residentKilobytes) KiB" }
    }

    @Test func leaveNothingBehind() throws {
        let desk = try JackedDaemon(
            "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\ntimeout_message =\n"
                + "profile = \(AcousticProfile.uniMagProfiles[0].name)\n")
        var early: Holdings?
        for cycle in 0..<Self.cycles {
            let end = End.allCases[cycle % End.allCases.count]
            try live(desk, until: end, seed: UInt64(cycle))
            // No tone, no volume, no record of one, no microphone.
            #expect(desk.isSinkFree && desk.volumeIs(JackedDaemon.quietVolume), "\(end), cycle \(cycle)")
            #expect(
                try !FileManager.default.contentsOfDirectory(atPath: desk.path("")).contains {
                    $0.hasSuffix(".state")
                })
            #expect(desk.descriptors(of: "sound") == 0)
            if cycle == max(End.allCases.count, Self.cycles / 4) - 1 { early = try holdings(of: desk) }
        }
        let before = try #require(early)
        let after = try holdings(of: desk)
        print("after \(Self.cycles) lives: \(after); early: \(before)")
        #expect(after.descriptors <= before.descriptors && after.threads <= before.threads + 1)
        #expect(after.residentKilobytes < before.residentKilobytes + 4_096)
        #expect(desk.daemon.terminate().status == 0)
    }

    private func live(_ desk: JackedDaemon, until end: End, seed: UInt64) throws {
        let jack = end == .timeout || end == .powerUp ? desk.insert(.silence) : desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        var generator = SeededGenerator(state: seed)
        switch end {
        case .timeout: _ = try desk.events(through: #""result":"timeout""#)
        case .powerUp: _ = try desk.events(through: #""event":"connect""#)
        case .swipe, .midSwipe, .deactivation: _ = try desk.events(through: #""event":"ready""#)
        }
        switch end {
        case .swipe:
            #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
            #expect(try desk.events(through: #""event":"swipe","#).last == "swipe card")
        case .midSwipe:
            #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
            _ = try desk.events(through: #""event":"swipe_start""#)
        case .deactivation:
            try desk.claim()
            _ = try desk.ask("set", #","activate_on_attach":false"#)
            #expect(try desk.ask("deactivate").events.last == "deactivate requested")
            _ = try desk.ask("set", #","activate_on_attach":true"#)
        case .timeout, .powerUp: break
        }
        try desk.plug(false)
        _ = try desk.events(through: #""event":"disconnect""#)
        _ = try desk.input(saying: #""microphone":"closed""#)
    }

    private func holdings(of desk: JackedDaemon) throws -> Holdings {
        let folder = "/proc/\(desk.daemon.process.processIdentifier)"
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        let resident = status.firstMatch(of: /VmRSS:\s+([0-9]+)/).flatMap { Int($0.1) }
        return Holdings(
            descriptors: try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count,
            threads: try FileManager.default.contentsOfDirectory(atPath: folder + "/task").count,
            residentKilobytes: try #require(resident))
    }
}
