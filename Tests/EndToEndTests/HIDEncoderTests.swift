import Foundation
import ReaderTesting
import Synchronization
import TestSupport
import Testing

/// An MSR605X behind unmodified libudev and hidapi, under umockdev: a simulated encoder answers the reports that hidapi writes.
@Suite(
    .serialized,
    .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
struct HIDEncoderTests {
    /// ASSUMPTION: 64 bytes in, 64 out, without ids; no descriptor of one is public.
    private static let descriptor = "0600ff0901a101150026ff007508954009018102954009019102c0"

    @Test func askedReadAndLeftAsItWas() throws {
        let bench = try BenchedDaemon("[access]\nmasked = *\n")
        let encoder = EncoderInHub(bench)
        bench.hub("plug 0 0801:0003 - \(Self.descriptor)")
        let plugged = try bench.client.lines(through: #""event":"ready""#)
        #expect(plugged.first?.contains(#""firmware":"REVT3.12""#) == true)
        #expect(plugged.first?.contains(#""kind":"encoder""#) == true)
        for number in 0..<6 {
            encoder.swipe(isBackward: number.isMultiple(of: 2))
            let swipe = try bench.client.lines(through: #""event":"swipe""#).last ?? ""
            #expect(swipe.contains("411111******1111"))
            #expect(swipe.contains(#""track":1,"status":"ok","format":"iso1""#))
        }
        encoder.fallSilent()
        #expect(try bench.end() == 0)
        let left = encoder.end()
        #expect(!left.isWaitingForCard)
        #expect(left.bitsPerByte == [7, 5, 5])
        #expect(left.light == .off)
        #expect(left.harm.isEmpty && left.unknown.isEmpty)
    }

    /// Clients hear of the end in time, and a reader its last words once it is done with what it was told before; a second signal
    /// changes nothing.
    @Test func clientsDoNotWaitForAMuteOne() throws {
        let bench = try BenchedDaemon("[access]\nmasked = *\n", answer: "mute")
        bench.hub("plug 0 0801:0003 - 0600ff0901a101150026ff00750895400901810295400902b102c0")
        _ = try bench.client.lines(through: #""event":"connect""#)
        let process = try #require(try bench.processID())
        kill(process, SIGTERM)
        kill(process, SIGTERM)
        _ = try bench.client.lines(through: #""event":"bye""#)
        #expect(kill(process, 0) == 0, "it is not through yet")
        bench.daemon.process.waitUntilExit()
        #expect(bench.daemon.process.terminationStatus == 0)
        #expect(bench.daemon.logged.contains("a device was not closed in time"))
    }

    /// Pulled out while a read is pending, and plugged in again.
    @Test func pulledOutWhileItWaits() throws {
        let bench = try BenchedDaemon("[access]\nmasked = *\n[hid]\nreading = iso\n")
        let encoder = EncoderInHub(bench)
        for attachment in 1...3 {
            bench.hub("plug 0 0801:0003 - \(Self.descriptor)")
            let plugged = try bench.client.lines(through: #""event":"ready""#)
            #expect(plugged.first?.contains(#""attachment":\#(attachment)"#) == true)
            encoder.swipe(isBackward: false)
            #expect(try bench.client.lines(through: #""event":"swipe""#).count == 1)
            bench.hub("unplug 0 " + (attachment.isMultiple(of: 2) ? "remove" : "hangup"))
            #expect(try bench.client.lines(through: #""event":"disconnect""#).count == 3)
            encoder.losePower()
        }
        encoder.fallSilent()
        #expect(try bench.end() == 0)
        #expect(encoder.end().harm.isEmpty)
    }
}

/// A simulated encoder in port 0 of the hub, on a thread of its own: reads what the hub says that was written, and has it report.
private final class EncoderInHub: Sendable {
    private let cards = Mutex<[EncodedCard]>([])
    private let hasLostPower = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)
    /// Whether the hub is there to be told of answers.
    private let mayAnswer = Mutex(true)
    private let left = Mutex<EncoderSimulator?>(nil)

    init(_ bench: BenchedDaemon) {
        // Both are the hub's ends of pipes and files, which stay while the bench does.
        nonisolated(unsafe) let bench = bench
        startThread { [self] in
            var encoder = EncoderSimulator()
            var heard = 0
            func answer(_ message: [UInt8]) {
                let reports = message.isEmpty ? [] : EncoderReports.reports(of: message)
                mayAnswer.withLock { mayAnswer in
                    for report in reports where mayAnswer {
                        bench.hub("report 0 " + report.map { String(format: "%02x", $0) }.joined())
                    }
                }
            }
            while true {
                let isLast = isEnding.load(ordering: .acquiring)
                if hasLostPower.exchange(false, ordering: .acquiringAndReleasing) { encoder.losePower() }
                let written = Self.written(bench.daemon.said)
                for report in written.dropFirst(heard) {
                    answer(encoder.receive(EncoderReports.payload(of: report)))
                }
                heard = written.count
                let card = cards.withLock { cards -> EncodedCard? in
                    encoder.isWaitingForCard && !cards.isEmpty ? cards.removeFirst() : nil
                }
                if let card { answer(encoder.swipe(card.stripes)) }
                if isLast { break }
                usleep(2000)
            }
            left.withLock { $0 = encoder }
        }
    }

    /// Reports that hidapi has written, without the id 0 in front.
    private static func written(_ said: String) -> [[UInt8]] {
        said.split(separator: "\n").filter { $0.hasPrefix("bench: output 0 ") }.compactMap { line in
            Hex.bytes(line.dropFirst("bench: output 0 ".count)).map { Array($0.dropFirst()) }
        }
    }

    func swipe(isBackward: Bool) {
        let texts = [
            "%B4111111111111111^DOE/JANE^29121010000000000000?", ";4111111111111111=29121010000000000?", nil,
        ]
        guard let card = try? EncodedCard(texts, isBackward: isBackward) else { return }
        cards.withLock { $0.append(card) }
    }

    /// A device that was pulled out has forgotten what it was asked.
    func losePower() { hasLostPower.store(true, ordering: .releasing) }

    /// What it is told from now on it hears, and answers nothing: the hub is about to go.
    func fallSilent() { mayAnswer.withLock { $0 = false } }

    func end() -> EncoderSimulator {
        isEnding.store(true, ordering: .releasing)
        while true {
            if let encoder = left.withLock({ $0 }) { return encoder }
            usleep(1000)
        }
    }
}
