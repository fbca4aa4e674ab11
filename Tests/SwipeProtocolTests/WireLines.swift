import CardData
import SwipeProtocol

/// Every form that an object has on the wire, for the comparison with the lines that are kept.
enum WireLines {
    /// The lines of the daemon and of clients, newline included.
    static var all: [String] {
        Samples.events.map { $0.line().text } + sparse.map { $0.line().text } + answers + requests
    }

    /// Objects of which everything that may be left out is left out.
    private static var sparse: [Event] {
        let reader = ReaderInfo(id: "r", kind: "k", model: "m", bus: .audio, state: .failed)
        let encryption = SwipeEncryption(
            scheme: "dukpt-aes", keySerialNumber: [],
            tracks: [.init(track: 1, ciphertext: [0xAB])], magnePrint: .init(status: 0, ciphertext: []))
        let swipe = SwipeData(
            card: CardInfo(kind: .payment, pan: PANInfo(masked: "4111", length: 4)),
            tracks: [TrackInfo(track: 1, status: .noStartSentinel)], encryption: encryption,
            quality: SwipeQuality(
                speed: 12.345, signalToNoiseDecibels: 1, jitterPercent: .infinity, clippedPercent: 0.06))
        let bodies: [EventBody] = [
            .connect(reader), .activate(.success), .unready(.timeout), .promptClosed(id: "p", .timeout),
            .swipe(swipe), .swipe(SwipeData(card: CardInfo(kind: .other), tracks: [])),
            .unknown(name: "later", data: ["x": [1, .null, 0.5], "y": "\"\\\n\u{1}"]),
        ]
        return bodies.map { Event(sequence: nil, time: Samples.time, monotonicNanoseconds: 0, body: $0) }
    }

    private static var answers: [String] {
        let hello = Hello(
            daemon: "swiped", instance: "5f0c", sequence: 41,
            you: .init(uid: 1000, roles: [.full, .status], connection: 7))
        let inputs = [
            AudioInputInfo(
                id: "a", device: "hw:0", type: .unimag, jack: "Mic Jack", isPluggedIn: false,
                isListening: true,
                why: "it is asked for", profile: "unimag", isAssumed: true),
            AudioInputInfo(id: "b", device: "hw:1", type: .none, isListening: false, why: "none"),
        ]
        let settings = SettingsInForce(
            type: SettingInForce(.unimag, from: .found), alwaysAcceptSwipe: SettingInForce(true, from: .set),
            activateOnAttach: SettingInForce(false, from: .configuration),
            volumeToMax: SettingInForce(true, from: .configuration),
            activateWithoutPrompting: SettingInForce(true, from: .set),
            swipeTimeoutSeconds: SettingInForce(3, from: .set),
            promptTimeoutSeconds: SettingInForce(600, from: .configuration),
            gain: SettingInForce(70, from: .card), gainRangeDecibels: 40)
        let results: [any JSONEncodable] = [
            Snapshot(sequence: 1, readers: nil), Snapshot(sequence: 2, readers: [Samples.reader]),
            ReaderList(readers: [Samples.reader], audioInputs: inputs),
            ReaderList(
                readers: [], audioInputs: [],
                unusedInputs: [UnusedInputInfo(section: "reader x", device: "hw:2", why: "not there")]),
            ReaderList(readers: [], audioInputs: []), ClaimGrant(reader: "r", token: "t"),
            ControlResult.taken(), ControlResult.taken(warning: "loud"),
            ControlResult.property(name: "n", value: 7), ControlResult.swiped(card: "visa"), EmptyResult(),
            ControlResult.settings(settings), ControlResult.logLevel(.info),
            ControlResult.levels([]), ControlResult.levels(Samples.levels),
        ]
        let error = ErrorReply(.readerBusy, "it is busy")
        return [hello.line().text, Reply.line(id: .none, error: error).text]
            + results.map { Reply.line(id: .integer(1), result: $0).text }
    }

    private static var requests: [String] {
        let controls: [ControlRequest] = [
            .activate, .deactivate, .cancelActivation, .requestSwipe(timeoutSeconds: 3),
            .requestSwipe(timeoutSeconds: nil), .cancelSwipe,
            .set(ReaderSettings(alwaysAcceptSwipe: true)),
            .set(ReaderSettings(activateOnAttach: false, volumeToMax: true, swipeTimeoutSeconds: 20)),
            .set(ReaderSettings(activateWithoutPrompting: true)), .set(ReaderSettings(gain: 0)), .get,
            .testCommunication,
            .setAudioReader(.ipsEnterprise), .autodetect,
            .answerPrompt(id: "p", answer: "ok"), .propertyGet(name: "n"),
            .propertySet(name: "n", value: ["a": 1]), .simulate(SimulatedAction(.swipe, card: "visa")),
            .simulate(SimulatedAction(.connect)), .levels(after: nil), .levels(after: 7),
        ]
        let calls: [Call] = [
            .subscribe(Subscription()),
            .subscribe(
                Subscription(
                    events: EventKinds([.swipe, .ready]), readers: ["b", "a"], wantsSnapshot: false,
                    since: .init(instance: "5f0c", sequence: 3))),
            .unsubscribe, .narrow(.masked), .readers, .claim(reader: "r", .tryOnly, token: "t"),
            .claim(reader: "r", .ask, token: nil), .release(reader: "r"), .retain(reader: "r"),
            .control(.reload, reader: nil), .control(.logLevel(.debug), reader: nil),
            .control(.logLevel(nil), reader: nil), .stats(reader: nil),
            .stats(reader: "r"), .schema, .barrier, .ping,
        ]
        return (calls + controls.map { .control($0, reader: "r") }).map {
            Request(id: .string("q"), call: $0).line().text
        }
    }
}

extension WireLines {
    /// What a reader says of each line with one member left out, null or of another type: the way to the member, what was
    /// done to it, and the complaint. Of a line that is right all the same: a checksum of what it reads as.
    static var complaints: [String] {
        var (said, seen): ([String], Set<String>) = ([], [])
        func say(_ line: JSONValue, _ change: String) {
            let words = "\(name(of: line))\(change): \(complaint(about: line))"
            if seen.insert(words).inserted { said.append(words) }
        }
        for line in all {
            guard let json = try? JSONReader.value(of: Array(line.utf8)) else { continue }
            say(json, "")
            for (change, changed) in changes(of: json) { say(changed, change) }
        }
        for line in wrongRequests {
            guard let json = try? JSONReader.value(of: Array(line.utf8)) else { continue }
            say(json, " \(line.count < 200 ? line : "of \(line.utf8.count) bytes")")
        }
        return said
    }

    /// What is wrong beyond one member that is left out or of another type.
    private static var wrongRequests: [String] {
        let long = String(repeating: "x", count: 257)
        return [
            #"{"method":"ping","id":1,"x":1}"#, #"{"id":1}"#, #"{"id":1,"method":7}"#,
            #"{"id":{},"method":"ping"}"#,
            #"{"method":"pong"}"#, #"{"method":"ping","params":[]}"#, #"{"method":"ping","params":{"x":1}}"#,
            #"{"method":"subscribe","params":{"x":1,"events":7}}"#,
            #"{"method":"subscribe","params":{"events":["later"]}}"#,
            #"{"method":"subscribe","params":{"events":["*","later"]}}"#,
            #"{"method":"subscribe","params":{"events":[]}}"#,
            #"{"method":"subscribe","params":{"events":[\#(Array(repeating: "\"bye\"", count: 39).joined(separator: ","))]}}"#,
            #"{"method":"subscribe","params":{"readers":[\#(Array(repeating: "\"a\"", count: 300).joined(separator: ","))]}}"#,
            #"{"method":"subscribe","params":{"readers":["\#(long)"]}}"#,
            #"{"method":"subscribe","params":{"readers":["*",7]}}"#,
            #"{"method":"subscribe","params":{"readers":["b","*"],"events":"*"}}"#,
            #"{"method":"subscribe","params":{"since":{"x":1}}}"#,
            #"{"method":"subscribe","params":{"since":{"instance":"i","seq":1,"x":1}}}"#,
            #"{"method":"subscribe","params":{"since":{"instance":"i","seq":-1}}}"#,
            #"{"method":"subscribe","params":{"since":{"instance":"i","seq":1.5}}}"#,
            #"{"method":"claim","params":{"reader":"\#(long)"}}"#,
            #"{"method":"claim","params":{"reader":"r","mode":"later"}}"#,
            #"{"method":"request_swipe","params":{"reader":"r","timeout_s":2}}"#,
            #"{"method":"request_swipe","params":{"reader":"r","timeout_s":1e1}}"#,
            #"{"method":"request_swipe","params":{"reader":"r","timeout_s":1e30}}"#,
            #"{"method":"set","params":{"reader":"r","swipe_timeout_s":21}}"#,
            #"{"method":"set","params":{"reader":"r","gain":101}}"#,
            #"{"method":"set","params":{"reader":"r"}}"#, #"{"method":"set","params":{}}"#,
            #"{"method":"set_audio_reader","params":{"reader":"r","type":"later"}}"#,
            #"{"method":"log_level","params":{"level":"loud"}}"#, #"{"method":"log_level"}"#,
            #"{"method":"simulate","params":{"reader":"r","action":"connect","card":"visa"}}"#,
            #"{"method":"answer_prompt","params":{"reader":"r","prompt":"p","answer":"\#(long)"}}"#,
            #"{"method":"property_set","params":{"reader":"r","name":"n","value":null}}"#,
            #"{"method":"stats","params":null}"#,
        ]
    }

    private static func name(of line: JSONValue) -> String {
        line.object?["event"]?.string ?? line.object?["method"]?.string ?? line.object?.members.last?.name
            ?? ""
    }

    private static func complaint(about line: JSONValue) -> String {
        let bytes = Array(text(line).utf8.dropLast())
        if line.object?["method"] != nil || line.object?["id"] != nil && line.object?.members.count == 1 {
            do throws(RequestError) { return checksum(try Request(line: bytes).line().text) } catch {
                return "\(error.id) \(error.reply.code): \(error.reply.message)"
            }
        }
        do throws(WireError) {
            switch try ServerMessage(line: bytes) {
            case .hello(let hello): return checksum(hello.line().text)
            case .event(let event): return checksum(event.line().text)
            case .otherVersion(let version): return version
            case .reply(let reply):
                guard case .success(let result) = reply.outcome else { return "\(reply.outcome)" }
                return try whatItReadsAs(result)
            }
        } catch {
            return error.description
        }
    }

    private static func whatItReadsAs(_ result: JSONValue) throws(WireError) -> String {
        let object = try JSONObject(json: result)
        if object["seq"] != nil { return checksum(text(try Snapshot(json: result))) }
        if object["settings"] != nil {
            return checksum(text(try object.required("settings", as: SettingsInForce.self)))
        }
        let readers = try object.optional("readers", as: [ReaderInfo].self)
        let inputs = try object.optional("audio_inputs", as: [AudioInputInfo].self)
        let unused = try object.optional("unused_inputs", as: [UnusedInputInfo].self)
        return checksum(text(readers ?? []) + text(inputs ?? []) + text(unused ?? []))
    }

    private static func text(_ value: some JSONEncodable) -> String {
        var writer = JSONWriter(isSensitive: true)
        value.write(to: &writer)
        return writer.finish().text
    }

    /// FNV-1a, 32 bits.
    private static func checksum(_ text: String) -> String {
        "reads as "
            + String(text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }, radix: 16)
    }

    /// Each single change inside a value, with the way to it.
    private static func changes(of value: JSONValue) -> [(String, JSONValue)] {
        switch value {
        case .object(let object):
            object.members.indices.flatMap { index in
                let member = object.members[index]
                var without = object
                without.members.remove(at: index)
                let other: [(String, JSONValue)] = [("=null", .null), ("=7", 7), ("=?", "?"), ("={}", [:])]
                let replaced = (other + changes(of: member.value)).map { change, value in
                    var changed = object
                    changed.members[index].value = value
                    return (".\(member.name)\(change)", JSONValue.object(changed))
                }
                return [(".\(member.name) left out", .object(without))] + replaced
            }
        case .array(let elements):
            elements.indices.prefix(1).flatMap { index in
                changes(of: elements[index]).map { change, value in
                    var changed = elements
                    changed[index] = value
                    return ("[]\(change)", .array(changed))
                }
            }
        case .null, .bool, .integer, .number, .string: []
        }
    }
}
