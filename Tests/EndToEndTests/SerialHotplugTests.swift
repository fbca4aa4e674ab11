import Foundation
import Testing

/// USB serial adapters as udev shows them, behind unmodified libudev: a line is known by its name, whatever number it has.
@Suite(
    .serialized,
    .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
struct SerialHotplugTests {
    private static func configuration(_ names: [String]) -> String {
        "[access]\nfull = *\n"
            + names.map { "[serial-reader \($0)]\ndevice = /dev/serial/by-id/usb-\($0)\ntype = text-line\n" }
            .joined()
    }

    /// What a text reader sends of the n-th card.
    private static func text(_ number: Int) -> String { ";4111111111111111=2912101000000\(1000 + number)?" }

    private static func swipe(_ number: Int, at slot: Int, _ bench: BenchedDaemon) {
        let hex = Array((text(number) + "\r").utf8).map { String(format: "%02x", $0) }.joined()
        bench.hub("line-send \(slot) \(hex)")
    }

    /// Pulled out and plugged in again with another number each time, the message before the hang-up or after: one reader under one name, each
    /// swipe once, no reader left.
    @Test func renumbered() throws {
        let bench = try BenchedDaemon(Self.configuration(["till"]))
        for attachment in 1...6 {
            bench.hub("line-plug 1 \(attachment % 3) usb-till")
            let plugged = try bench.client.lines(through: #""event":"ready""#)
            #expect(plugged.count == 3)
            #expect(
                plugged.first?.contains(#""reader":"serial-till","attachment":\#(attachment)"#) == true)
            for number in 1...3 {
                Self.swipe(10 * attachment + number, at: 1, bench)
                let told = try bench.client.lines(through: #""event":"swipe""#)
                #expect(told.count == 1)
                #expect(told.last?.contains(Self.text(10 * attachment + number)) == true)
            }
            bench.hub("line-unplug 1 \(attachment.isMultiple(of: 2) ? "remove" : "hangup")")
            let gone = try bench.client.lines(through: #""event":"disconnect""#)
            #expect(gone.count == 3)
        }
        #expect(try bench.ask("readers").contains(#""readers":[]"#))
        #expect(try bench.end() == 0)
    }

    /// Two adapters that come back with each other's numbers: each is read as itself. One that nobody configured is left alone.
    @Test func numbersSwapped() throws {
        let bench = try BenchedDaemon(Self.configuration(["till", "door"]))
        bench.hub("line-plug 3 7 usb-other")
        for round in 0..<3 {
            let numbers = round.isMultiple(of: 2) ? [0, 1] : [1, 0]
            for (slot, name) in ["till", "door"].enumerated() {
                bench.hub("line-plug \(slot) \(numbers[slot]) usb-\(name)")
                #expect(
                    try bench.client.lines(through: #""event":"ready""#).last?
                        .contains(#""reader":"serial-\#(name)""#) == true)
            }
            for (slot, name) in ["till", "door"].enumerated() {
                Self.swipe(slot + 2 * round, at: slot, bench)
                let told = try bench.client.lines(through: #""event":"swipe""#)
                #expect(told.count == 1)
                #expect(told.last?.contains(#""reader":"serial-\#(name)""#) == true)
                #expect(told.last?.contains(Self.text(slot + 2 * round)) == true)
            }
            for slot in 0..<2 {
                bench.hub("line-unplug \(slot)")
                #expect(try bench.client.lines(through: #""event":"disconnect""#).count == 3)
            }
        }
        bench.hub("line-unplug 3")
        #expect(try bench.ask("readers").contains(#""readers":[]"#))
        #expect(try bench.end() == 0)
    }

    /// A line that goes while a swipe is under way: nothing comes of it, and nothing is left for the next attachment.
    @Test func pulledOutWithinASwipe() throws {
        let bench = try BenchedDaemon(Self.configuration(["till"]))
        for attachment in 1...4 {
            bench.hub("line-plug 1 0 usb-till")
            _ = try bench.client.lines(through: #""event":"ready""#)
            bench.hub("line-send 1 \(attachment.isMultiple(of: 2) ? "3b3431" : "25423431")")
            bench.hub("line-unplug 1")
            let gone = try bench.client.lines(through: #""event":"disconnect""#)
            #expect(!gone.contains { $0.contains(#""event":"swipe""#) })
            #expect(gone.count == 3)
        }
        #expect(try bench.end() == 0)
    }
}
