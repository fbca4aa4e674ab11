internal import SwipeProtocol

/// What this program says of itself, retained, and in its other messages that are not the daemon's.
struct BridgeReport {
    var identifier: String
    var started: WallTime
    var instance: String
    var sequence: UInt64
    var swipes: UInt64
    var lost: [Loss.Reason: UInt64]

    /// Nothing in it changes while nothing happens: it is published only when it does.
    var line: [UInt8] {
        let report: JSONValue = [
            "version": .string(PackageVersion.current), "bridge": .string(identifier),
            "started": .string(started.description), "instance": .string(instance),
            "seq": .integer(Int64(clamping: sequence)), "swipes": .integer(Int64(clamping: swipes)),
            "lost": Self.totals(lost),
        ]
        return Self.encoded(report)
    }

    /// Whether a run of that name has reported it.
    static func isOf(_ identifier: String, _ payload: [UInt8]) -> Bool {
        (try? JSONReader.value(of: payload))?.object?["bridge"]?.string == identifier
    }

    /// How far a run has come, from its report; nil where it is none.
    static func position(_ payload: [UInt8]) -> Subscription.Point? {
        guard let object = (try? JSONReader.value(of: payload))?.object,
            let instance = object["instance"]?.string, !instance.isEmpty,
            instance.utf8.count <= ProtocolLimits.name, let sequence = object["seq"]?.integer, sequence >= 0
        else { return nil }
        return Subscription.Point(instance: instance, sequence: UInt64(sequence))
    }

    /// A loss, under an id of its own.
    static func loss(
        _ entry: LossLedger.Entry, _ totals: [Loss.Reason: UInt64], bridge: String, at time: WallTime
    ) -> [UInt8] {
        let loss = entry.loss
        var members: [JSONObject.Member] = [
            .init("loss_id", .string("\(bridge):\(entry.number)")),
            .init("time", .string(time.description)), .init("reason", .string(loss.reason.rawValue)),
        ]
        if loss.count > 0 {
            members.append(
                .init(loss.reason.isExact ? "count" : "at_most", .integer(Int64(clamping: loss.count))))
        }
        if let instance = loss.instance { members.append(.init("instance", .string(instance))) }
        if let from = loss.from, let to = loss.to {
            members.append(.init("from", .integer(Int64(clamping: from))))
            members.append(.init("to", .integer(Int64(clamping: to))))
        }
        members.append(.init("lost", Self.totals(totals)))
        return encoded(JSONValue.object(JSONObject(members)))
    }

    private static func totals(_ lost: [Loss.Reason: UInt64]) -> JSONValue {
        .object(
            JSONObject(
                Loss.Reason.allCases.filter { lost[$0, default: 0] > 0 }.map {
                    .init($0.rawValue, .integer(Int64(clamping: lost[$0, default: 0])))
                }))
    }

    /// A reader as in the protocol. Who has claimed it stays on its machine: it is no state that events tell.
    static func state(_ reader: ReaderInfo) -> [UInt8] {
        var shown = reader
        shown.claimedBy = nil
        return encoded(shown)
    }

    static func encoded(_ value: some JSONEncodable) -> [UInt8] {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.finish().withBytes { Array($0.dropLast()) }
    }
}
