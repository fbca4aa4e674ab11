import Foundation
import Testing

/// Properties from a client's socket through libudev and hidapi to a reader's feature report, and back.
@Suite(
    .serialized,
    .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
struct HIDPropertyTests {
    private static let polling = #"{"reader":"magtek-A","name":"polling_interval"}"#

    private func set(_ reader: String, _ name: String, _ value: String) -> String {
        #"{"reader":"\#(reader)","name":"\#(name)","value":\#(value)}"#
    }

    @Test func magTek() throws {
        // Whatever is not named below is refused with result code 02.
        let bench = try BenchedDaemon("[access]\nmasked = *\n", answer: "0200")
        bench.hub("rule 0 1500 000102")
        bench.hub("rule 0 000102 000108")
        bench.hub("rule 0 01020205 0000")
        bench.hub("rule 0 0a080102030405060708 0000")
        bench.hub("plug 0 0801:0011 A \(HIDDescriptors.magneSafeDescriptor)")
        _ = try bench.client.lines(through: #""event":"ready""#)
        // Root is always `admin`.
        if getuid() != 0 {
            #expect(try bench.ask("property_get", Self.polling).contains(#""code":"claim.required""#))
        }
        _ = try bench.ask("claim", #"{"reader":"magtek-A"}"#)
        #expect(
            try bench.ask("property_get", Self.polling)
                == #"{"id":"q","result":{"name":"polling_interval","value":8}}"#)
        #expect(
            try bench.ask("property_set", set("magtek-A", "polling_interval", "5"))
                == #"{"id":"q","result":{"name":"polling_interval","value":5}}"#)
        // Only the very bytes of the command are answered with success.
        #expect(
            try bench.ask("property_set", set("magtek-A", "polling_interval", "6"))
                .contains(#""code":"reader.failed","message":"the reader refused: bad parameter""#))
        // JSON has no bytes: they are hex both ways.
        #expect(
            try bench.ask("property_set", set("magtek-A", "session_id", "\"0102030405060708\""))
                .contains(#""value":"0102030405060708""#))
        let refusals = [
            (set("magtek-A", "session_id", "\"01\""), "params.invalid"),
            (set("magtek-A", "polling_interval", "true"), "params.invalid"),
            (set("magtek-A", "polling_interval", "\"fast\""), "params.invalid"),
            (set("magtek-A", "software_id", "\"x\""), "property.unknown"),
            (set("magtek-A", "nonsense", "1"), "property.unknown"),
        ]
        for (parameters, code) in refusals {
            #expect(
                try bench.ask("property_set", parameters).contains(#""code":"\#(code)""#), "\(parameters)")
        }
        #expect(try bench.end() == 0)
    }

    /// From level 3 on a change needs a MAC. The reader is not even asked: the right bytes would be answered with success.
    @Test(arguments: ["000103", "000104"]) func whatNeedsAMACIsRefused(level: String) throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\n", answer: "0200")
        bench.hub("rule 0 1500 \(level)")
        bench.hub("rule 0 01020205 0000")
        bench.hub("rule 0 0a 0000")
        bench.hub("rule 0 000102 000108")
        bench.hub("plug 0 0801:0011 A \(HIDDescriptors.magneSafeDescriptor)")
        _ = try bench.client.lines(through: #""event":"ready""#)
        // Answered behind the questions that the driver asks first, so that the level is known now.
        #expect(try bench.ask("property_get", Self.polling).contains(#""value":8"#))
        let answer = try bench.ask("property_set", set("magtek-A", "polling_interval", "5"))
        #expect(answer.contains(#""code":"property.needs_authentication""#))
        #expect(answer.contains("a MAC made with its key, which swiped does not have"))
        #expect(
            try bench.ask("property_set", set("magtek-A", "session_id", "\"0102030405060708\""))
                .contains(#""value":"0102030405060708""#))
        #expect(try bench.end() == 0)
    }

    /// Frames of eight bytes, of which an answer takes several; none yet is an answer of no bytes.
    @Test func idTech() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\n", answer: "")
        bench.hub("rule 0 02 16,-")
        bench.hub("rule 0 02527e032d -,-,\(Self.frames([0x7E, 1, 0x33]))")
        bench.hub("rule 0 0252220371 -,\(Self.frames(Array("ID TECH TM3 SecureMag".utf8)))")
        bench.hub("rule 0 0252110342 \(Self.frames([0x11, 1, 0x32]))")
        bench.hub("rule 0 025311013303 06,-")
        bench.hub("plug 0 0acd:2010 B \(Self.idTechDescriptor)")
        _ = try bench.client.lines(through: #""event":"ready""#)
        #expect(
            try bench.ask("property_get", #"{"reader":"idtech-B","name":"beep"}"#)
                == #"{"id":"q","result":{"name":"beep","value":"2"}}"#)
        #expect(try bench.ask("property_set", set("idtech-B", "beep", "\"3\"")).contains(#""value":"3""#))
        #expect(
            try bench.ask("property_get", #"{"reader":"idtech-B","name":"firmware"}"#)
                .contains(#""value":"ID TECH TM3 SecureMag""#))
        // What the reader told of itself by then.
        let readers = try bench.ask("readers")
        #expect(readers.contains(#""firmware":"ID TECH TM3 SecureMag""#))
        #expect(readers.contains(#""encryption":"encrypted""#))
        #expect(
            try bench.ask("property_get", #"{"reader":"idtech-B","name":"sync_check"}"#)
                .contains("the reader refused: unknown setting"))
        #expect(try bench.end() == 0)
    }

    /// A mute reader costs its asker the time, and nobody else anything.
    @Test func aMuteReaderTimesOut() throws {
        let bench = try BenchedDaemon("[access]\nadmin = *\n", answer: "mute")
        bench.hub("plug 0 0801:0002 A")
        _ = try bench.client.lines(through: #""event":"ready""#)
        let start = ContinuousClock.now
        #expect(try bench.ask("property_get", Self.polling).contains(#""code":"reader.timeout""#))
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(try bench.end() == 0)
    }

    /// `06 02 … 03 LRC` in frames of eight bytes, and the empty one that ends it.
    private static func frames(_ body: [UInt8]) -> String {
        let checked = [0x02] + body + [0x03]
        let answer = [0x06] + checked + [checked.reduce(0, ^)]
        let padded = answer + Array(repeating: 0, count: (8 - answer.count % 8) % 8)
        let frames = stride(from: 0, to: padded.count, by: 8).map { start in
            padded[start...].prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return (frames + ["-"]).joined(separator: ",")
    }

    /// Input of 509 bytes (usages 30 and 31), a feature report of 8 (usage 20), as in the MiniMag's manual.
    private static let idTechDescriptor =
        "0600ff0901a101150026ff007508093095098202010931" + "96f40182020109209508b20201c0"
}
