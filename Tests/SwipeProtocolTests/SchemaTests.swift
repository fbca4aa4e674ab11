import CardData
import SwipeProtocol
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// One event of each kind, with everything that it can carry.
enum Samples {
    static let time = WallTime(microseconds: 1_769_851_800_123_456)
    static let claimant = Claimant(uid: 1000, pid: 4711, connection: 3)
    static let reader = ReaderInfo(
        id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", serial: "B05A9C4", firmware: "21042840G01",
        bus: .usb, port: "usb-1/input0", encryption: .encrypted, state: .ready, attachment: 3,
        detail: "\"quoted\"",
        expiresAt: time, prompt: prompt, claimedBy: claimant, isSimulated: true, name: "counter",
        held: .grabbed)
    static let levels = [
        SoundLevel(number: 0, peak: -120),
        SoundLevel(
            number: 7, peak: -9, floor: -62, hum: .init(hertz: 50, decibels: -70), isClipped: true,
            isOpen: true, passage: [100, 80, 0]),
    ]
    static let prompt = Prompt(
        id: "p1", kind: .activation, text: "May it?", answers: ["accept", "decline"], expiresAt: time)
    static let swipe = SwipeData(
        card: CardInfo(
            kind: .payment, format: "iso7813",
            pan: PANInfo(
                number: SensitiveText("4111111111111111"), masked: "411111******1111", length: 16, luhn: true,
                brand: "visa"),
            expiry: "2712", serviceCode: "101", name: SensitiveText("DOE/JOHN"),
            fields: [CardInfo.Field("country", SensitiveText("DE"))],
            properties: [CardInfo.Field("Surname", SensitiveText("DOE"))], hash: "0a1b2c3d-ff"),
        tracks: [
            TrackInfo(
                track: 2, status: .repaired, format: "iso2", masked: ";411111******1111=2712101*?",
                text: SensitiveText(";4111111111111111=27121010?"), discretionary: SensitiveText("0"),
                repairedBits: 1),
            TrackInfo(track: 1, status: .parity, atBit: 211), TrackInfo(track: 3, status: .empty),
        ],
        encryption: SwipeEncryption(
            scheme: "dukpt-tdes", keySerialNumber: [0xFF, 0xFF, 0x98],
            tracks: [
                .init(
                    track: 2, ciphertext: [1, 2], clearLength: 40, hash: [7], joinedTracks: [1, 2],
                    joinedHashes: [[7], []], sha1Hash: [8])
            ],
            magnePrint: .init(status: 5, ciphertext: [3], keySerialNumber: [0xFF]), session: [9],
            counter: 17, keyVariant: .data, isKeyVariantAssumed: true, isSchemeAssumed: true,
            readerStatus: ["counter_expired"]),
        quality: SwipeQuality(
            direction: .backward, speed: 38.2, signalToNoiseDecibels: 31, jitterPercent: 2.1,
            clippedPercent: 0.4, repairedBits: 1, isJoined: true, hint: .noisy), hasChip: true)

    static let bodies: [EventBody] = [
        .connect(reader), .update(reader), .disconnect(.unplugged), .activate(.failed, why: "no answer"),
        .deactivate(.suspended), .ready(expiresAt: time), .ready(expiresAt: nil), .unready(.error, why: "x"),
        .swipeStart,
        .swipe(swipe), .swipe(SwipeData(tracks: [])), .autodetectStart, .autodetectComplete(.ipsEnterprise),
        .testComplete(answered: false, why: "no sound card"), .testComplete(answered: true), .prompt(prompt),
        .prompt(Prompt(id: "p2", kind: .timeout, text: "No answer", answers: ["ok"])),
        .promptClosed(id: "p1", .answered, answer: "accept"), .claimRequested(by: claimant, deadline: time),
        .claimReleased(.taken, holder: claimant), .swipeUntaken(.noSubscriber, swipe: 41),
        .gap(from: 3, to: 9, .coalesced), .bye(.shutdown),
    ]

    static var events: [Event] {
        bodies.map { body in
            let ofConnection = body.kind?.isOfConnection == true
            return Event(
                sequence: ofConnection ? nil : 42, time: time, monotonicNanoseconds: 7,
                reader: ofConnection ? nil : "magtek-B05A9C4", attachment: ofConnection ? nil : 3,
                isSimulated: !ofConnection, body: body)
        }
    }
}

@Suite struct SchemaTests {
    private func parse(_ line: EncodedLine) throws -> JSONValue {
        try JSONReader.value(of: Array(line.text.utf8))
    }

    @Test(arguments: Samples.events) func everyEventFitsAndComesBack(_ event: Event) throws {
        let json = try parse(event.line())
        #expect(SchemaChecker().complaint(about: json) == nil)
        #expect(try Event(json: json) == event)
    }

    @Test func everyKindHasASample() {
        let kinds = Set(Samples.bodies.compactMap(\.kind))
        #expect(
            kinds == Set(EventKind.allCases), "Samples.bodies: \(difference(kinds, Set(EventKind.allCases)))")
    }

    /// A member that no sample has is written and read back by no test.
    @Test func everyMemberOfAnEventHasASample() throws {
        var sampled: Set<String> = []
        for event in Samples.events { Self.names(in: try parse(event.line()), &sampled) }
        let ofEvents = ["event", "swipe", "track", "card", "encryption", "quality", "reader", "prompt"]
        for definition in ofEvents {
            let object = ProtocolSchema.document.object?["$defs"]?.object?[definition]?.object
            guard let members = object?["properties"]?.object?.members else { continue }
            for member in members {
                #expect(sampled.contains(member.name), "Samples has no '\(member.name)' of \(definition)")
            }
        }
    }

    private static func names(in value: JSONValue, _ names: inout Set<String>) {
        for member in value.object?.members ?? [] {
            names.insert(member.name)
            Self.names(in: member.value, &names)
        }
        for element in value.array ?? [] { Self.names(in: element, &names) }
    }

    @Test func theGreetingFits() throws {
        let hello = Hello(
            daemon: "swiped 0.1.0", instance: "5f0c", sequence: 41,
            you: Hello.You(uid: 1000, roles: [.status, .masked], connection: 1))
        let json = try parse(hello.line())
        #expect(SchemaChecker().complaint(about: json) == nil)
    }

    @Test func theSchemaFitsALineOfTheProtocol() {
        #expect(Reply.line(id: .integer(1), result: ProtocolSchema.document).count < ProtocolLimits.lineOut)
    }

    @Test(arguments: [
        #"{"event":"ready","seq":1,"time":"2026-01-31T09:30:00.123456Z","mono_ns":1,"data":{}}"#,
        #"{"event":"ready","time":"2026-01-31T09:30:00.123456Z","mono_ns":1,"data":{"expires_at":null}}"#,
        #"{"event":"bye","time":"2026-01-31T09:30:00.123456Z","mono_ns":1,"data":{"code":"bored"}}"#,
        #"{"id":1,"method":"request_swipe","params":{"reader":"x","timeout_s":2}}"#,
        #"{"id":1,"method":"ping","params":{"x":1}}"#,
    ]) func whatDoesNotFitIsFound(_ line: String) throws {
        #expect(SchemaChecker().complaint(about: try JSONReader.value(of: Array(line.utf8))) != nil)
    }

    /// `SWIPED_WRITE_SCHEMA=1` writes it (CONTRIBUTING.md).
    @Test func theFileIsFresh() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "/\(root)/docs/swipe-1.schema.json"
        var writer = JSONWriter()
        ProtocolSchema.document.write(to: &writer)
        let fresh = writer.finish().text
        if getenv("SWIPED_WRITE_SCHEMA") != nil {
            let file = try #require(fopen(path, "w"))
            fputs(fresh, file)
            fclose(file)
        }
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = fread(&bytes, 1, bytes.count, file)
        // Not the texts themselves: a failure would print both.
        let isFresh = String(decoding: bytes[..<count], as: UTF8.self) == fresh
        #expect(isFresh, "SWIPED_WRITE_SCHEMA=1 writes it")
    }
}
