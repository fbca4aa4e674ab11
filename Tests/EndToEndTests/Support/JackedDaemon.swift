import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// A daemon with one virtual sound card, what is in its jack, and a client that hears everything.
final class JackedDaemon {
    /// What a card may lack.
    enum Part: CaseIterable { case sink, jack, volume }

    static let quietVolume = " 40  40 1 1\n"
    static let fullVolume = "100 100 1 1\n"
    static let rate = 48_000
    static let reader = "virtual-desk"

    let daemon: DaemonUnderTest
    let client: LineClient
    private var requests = 100

    /// - Parameters:
    ///   - settings: lines of the reader's section.
    ///   - parts: what the card has.
    ///   - more: sections beside it.
    ///   - files: what stands in the daemon's folder.
    ///   - full: who may see whole cards; everybody here is one user, who may see masked ones anyway.
    init(
        _ settings: String, parts: [Part] = Part.allCases, more: String = "", files: [String: String] = [:],
        full: String = "*"
    ) throws {
        daemon = try DaemonUnderTest(
            Self.configuration(settings, parts: parts, more: more, full: full), files: files)
        for name in ["jack", "played"] { _ = daemon.makePipe(name) }
        try Data(Self.quietVolume.utf8).write(to: daemon.folder.appending(path: "volume"))
        _ = daemon.makePipe("sound")
        client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
    }

    static func configuration(
        _ settings: String, parts: [Part] = Part.allCases, more: String = "", full: String = "*"
    ) -> String {
        let lines = parts.map { part in
            switch part {
            case .sink: "sink = {}/played\n"
            case .jack: "jack = {}/jack\n"
            case .volume: "volume = {}/volume\n"
            }
        }
        return "[access]\nmasked = *\nfull = \(full)\nadmin = *\n" + more
            + "[virtual-audio desk]\nsource = {}/sound\n" + lines.joined() + settings
    }

    func path(_ name: String) -> String { daemon.folder.appending(path: name).path }

    var volume: String { (try? String(contentsOfFile: path("volume"), encoding: .utf8)) ?? "" }

    /// Puts a reader of software into the jack's sound; whether the jack tells of it is another thing.
    func insert(_ kind: ReaderSimulator.Kind) -> SimulatedJack {
        SimulatedJack(ReaderSimulator(kind, rate: Self.rate), source: path("sound"), sink: path("played"))
    }

    func insertUniMag() -> SimulatedJack { insert(.uniMag(AcousticProfile.uniMagProfiles[0])) }

    /// Puts a reader into the jack and plugs it in; returns when it is ready. Whoever calls it stops it in the end.
    func ready(with kind: ReaderSimulator.Kind) throws -> SimulatedJack {
        let jack = insert(kind)
        try plug(true)
        _ = try events(through: #""event":"ready""#)
        return jack
    }

    func plug(_ isIn: Bool) throws { try writePipe(path("jack"), (isIn ? "1" : "0").utf8) }

    /// As when the machine is suspended and resumed.
    func putToSleep() { close(open(path("sound.sleep"), O_CREAT | O_CLOEXEC, 0o600)) }

    /// Another client that hears all swipes and claims nothing.
    func observer() throws -> LineClient {
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe","params":{"events":["swipe"]}}"#)
        _ = try observer.line()
        return observer
    }

    func claim() throws { _ = try ask("claim") }

    /// Asks something of the reader; the events before the answer, and the answer.
    @discardableResult
    func ask(_ method: String, _ parameters: String = "") throws -> (events: [String], answer: String) {
        requests += 1
        client.send(
            #"{"id":\#(requests),"method":"\#(method)","params":{"reader":"\#(Self.reader)"\#(parameters)}}"#)
        let lines = try client.lines(through: "{\"id\":\(requests),")
        return (JackWords.of(lines), lines.last ?? "")
    }

    func answer(_ line: String, _ answer: String) throws -> (events: [String], answer: String) {
        let prompt = try #require(line.firstMatch(of: /"event":"prompt".*"id":"([0-9]+)"/)).1
        return try ask("answer_prompt", #","prompt":"\#(prompt)","answer":"\#(answer)""#)
    }

    /// The events up to and including the one with that line, in words.
    func events(through text: String) throws -> [String] { JackWords.of(try client.lines(through: text)) }

    /// Those events and the ones after them, up to one of that name, which may be the last of them already.
    func events(_ earlier: [String], to name: String) throws -> [String] {
        if earlier.last?.split(separator: " ").first.map(String.init) == name { return earlier }
        return earlier + (try events(through: #""event":"\#(name)""#))
    }

    /// The readers and sound inputs, once `readers` says all of that: the microphone closes a while after what is in the jack changes.
    @discardableResult
    func input(saying texts: String...) throws -> String {
        while true {
            client.send(#"{"id":"in","method":"readers"}"#)
            let answer = try client.lines(through: #"{"id":"in","#).last ?? ""
            if texts.allSatisfy({ answer.contains($0) }) { return answer }
        }
    }
}

/// Event lines in a few words each: the name, and what tells one from another.
enum JackWords {
    static func of(_ lines: [String]) -> [String] { lines.compactMap(of) }

    private static func of(_ line: String) -> String? {
        guard let name = line.firstMatch(of: /^\{"event":"([a-z_]+)"/)?.1 else { return nil }
        return detail(String(name), line).map { "\(name) \($0)" } ?? String(name)
    }

    private static func detail(_ name: String, _ line: String) -> String? {
        switch name {
        case "activate", "autodetect_complete": value("result", line)
        case "unready", "deactivate", "disconnect": value("reason", line)
        case "prompt", "update": value("kind", line)
        case "prompt_closed": value("end", line)
        case "claim_released": value("why", line)
        case "test_complete": line.contains(#""answered":true"#) ? "answered" : "unanswered"
        case "swipe": line.contains(#""data":{"card":{"#) ? "card" : "unreadable"
        case _: nil
        }
    }

    private static func value(_ key: String, _ line: String) -> String? {
        guard let data = line.range(of: "\"data\":") else { return nil }
        let rest = line[data.upperBound...]
        guard let place = rest.range(of: "\"\(key)\":\"") else { return nil }
        return String(rest[place.upperBound...].prefix { $0 != "\"" })
    }
}

/// What is left, and what the card is used for.
extension JackedDaemon {
    /// How a reader that was ready goes when it is pulled out.
    static let wayOut = ["unready disconnected", "deactivate disconnected", "disconnect unplugged"]

    private static let patience = Duration.seconds(10)
    /// A second's worth, ten milliseconds each.
    private static let settledAnswers = 100

    /// Whether a file comes to say that, in time.
    func says(_ text: String, _ name: String) -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        repeat {
            if (try? String(contentsOfFile: path(name), encoding: .utf8)) == text { return true }
            usleep(2_000)
        } while .now < deadline
        return false
    }

    func volumeIs(_ text: String) -> Bool { says(text, "volume") }

    /// Whether `readers` comes to say that, and goes on saying it while a card could still be opened.
    func settlesOn(_ text: String) -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        var times = 0
        while .now < deadline {
            client.send(#"{"id":"in","method":"readers"}"#)
            guard let lines = try? client.lines(through: #"{"id":"in","#) else { return false }
            times = lines.last?.contains(text) == true ? times + 1 : 0
            if times == Self.settledAnswers { return true }
            usleep(10_000)
        }
        return false
    }

    /// Whether nobody plays: the card has one player at a time.
    var isSinkFree: Bool {
        let file = open(path("played"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return true }
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) == 0
    }

    /// How many descriptors of a file the daemon has.
    func descriptors(of name: String) -> Int {
        let folder = "/proc/\(daemon.process.processIdentifier)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path(name)
        }
    }
}
