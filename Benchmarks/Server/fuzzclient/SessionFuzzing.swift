import Glibc
import LoadMeasures
import ReaderTesting

/// Many sessions at once, each doing something else.
struct SessionFuzzing {
    private let path: String
    private let seed: UInt64
    private var random: SeededGenerator
    private var sessions: [Session] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var lastID = 0
    private var step = 0
    private var connections = 0
    private var slowestAnswer: UInt64 = 0
    private var lastToken = "nope"
    /// What the sessions did, for the report.
    private var deeds: [String: Int] = [:]

    private static let atOnce = 24
    /// With more answers missing a session sends nothing: one that waits for a holder would fill its socket.
    private static let mostOwed = 500

    init(_ path: String, seed: UInt64) {
        self.path = path
        self.seed = seed
        random = SeededGenerator(state: seed)
    }

    mutating func run(_ steps: Int) -> Bool {
        guard var witness = Session(path) else { return fail("no daemon at \(path)") }
        let start = Clock.now()
        var turn = 0
        while step < steps {
            turn += 1
            while sessions.count < SessionFuzzing.atOnce {
                guard let session = Session(path) else { return fail("the daemon takes no connection") }
                sessions.append(session)
                connections += 1
                step += 1
            }
            let index = random.below(sessions.count)
            act(index)
            if index < sessions.count {
                if let complaint = sessions[index].complaint { return fail(complaint) }
                if sessions[index].hasEnded { drop(index) }
            }
            if turn.isMultiple(of: 500), let complaint = ask(&witness) { return fail(complaint) }
            if turn.isMultiple(of: 200_000) { print("\(step) steps") }
            if turn.isMultiple(of: 200_000) { fflush(nil) }
        }
        for index in sessions.indices.reversed() {
            if let complaint = settle(index) { return fail(complaint) }
            drop(index)
        }
        if let complaint = ask(&witness) { return fail(complaint) }
        witness.close()
        let seconds = Double(Clock.now() - start) / 1e9
        print(
            "\(step) session steps, \(connections) connections, \(seconds) s, slowest answer to the witness \(slowestAnswer / 1_000) us, seed \(seed)"
        )
        let methods = deeds.filter { $0.value > 99 && $0.key.allSatisfy { $0.isLowercase || $0 == "_" } }
        print(methods.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        return true
    }

    private func fail(_ why: String) -> Bool {
        print("step \(step), seed \(seed): \(why)")
        return false
    }

    /// Lets go of a session, whatever the daemon still has to say to it.
    private mutating func drop(_ index: Int) {
        sessions[index].close()
        sessions.swapAt(index, sessions.count - 1)
        sessions.removeLast()
    }

    /// The well-behaved client beside it all: answered, and soon.
    private mutating func ask(_ witness: inout Session) -> String? {
        let asked = Clock.now()
        lastID += 1
        step += 1
        witness.expect([.id(lastID)])
        witness.send(Array("{\"id\":\(lastID),\"method\":\"ping\"}\n".utf8), buffer)
        while witness.isWaiting, witness.complaint == nil {
            if witness.read(buffer) == 0 { usleep(20) }
            if Clock.now() - asked > 10_000_000_000 { return "the witness got no answer in 10 s" }
        }
        slowestAnswer = max(slowestAnswer, Clock.now() - asked)
        return witness.complaint
    }

    private mutating func act(_ index: Int) {
        if sessions[index].owed > SessionFuzzing.mostOwed, random.below(20) > 0 {
            if sessions[index].read(buffer) == 0 { usleep(20) }
            return
        }
        if let token = sessions[index].granted { lastToken = token }
        sessions[index].hears(of: lastToken)
        switch random.below(100) {
        case 0...79: burst(index)
        case 80...83: sessions[index].read(buffer)
        case 84...86: halfLine(index)
        case 87: endlessLine(index)
        case 88, 89: descriptors(index)
        case 90, 91: shutdownWrite(index)
        case 92: shutdownRead(index)
        case 93, 94: drop(index)
        default: leaveUnread(index)
        }
        step += 1
        if index < sessions.count, random.below(4) > 0 { sessions[index].read(buffer) }
    }

    /// Some lines in one piece.
    private mutating func burst(_ index: Int) {
        var bytes: [UInt8] = []
        var answers: [Lines.Answer] = []
        for _ in 0...random.below(40) {
            lastID += 1
            let (line, answer) =
                switch random.below(10) {
                case 0: Lines.broken(&random)
                case 1: Lines.mutated(lastID, &random, sessions[index].known)
                default: Lines.valid(lastID, &random, sessions[index].known)
                }
            note(line, index)
            bytes += line
            answers.append(answer)
        }
        step += answers.count
        sessions[index].expect(answers)
        sessions[index].send(bytes, buffer)
    }

    /// Counts what is asked, and what follows from it.
    private mutating func note(_ line: [UInt8], _ index: Int) {
        let words = line.prefix(80).split(separator: UInt8(ascii: "\""))
        guard words.count > 5 else { return }
        deeds[String(decoding: words[5], as: UTF8.self), default: 0] += 1
        if Session.find("since", in: line[...]) != nil { sessions[index].mayRepeat = true }
    }

    /// A line in pieces.
    private mutating func halfLine(_ index: Int) {
        lastID += 1
        let (line, answer) = Lines.valid(lastID, &random, sessions[index].known)
        note(line, index)
        let cut = random.below(line.count)
        sessions[index].expect([answer])
        sessions[index].send(Array(line[..<cut]), buffer)
        sessions[index].read(buffer)
        sessions[index].send(Array(line[cut...]), buffer)
    }

    private mutating func endlessLine(_ index: Int) {
        sessions[index].mayEnd = true
        sessions[index].expect([.any])
        sessions[index].send([UInt8](repeating: 120, count: 16_000 + random.below(1_000)), buffer)
        sessions[index].send([10], buffer)
    }

    private mutating func descriptors(_ index: Int) {
        lastID += 1
        // Not through `send`: whether the line got through is not known.
        sessions[index].mayEnd = true
        sessions[index].sendWithDescriptors(Array("{\"id\":\(lastID),\"method\":\"ping\"}\n".utf8))
        drop(index)
    }

    private mutating func shutdownWrite(_ index: Int) {
        sessions[index].mayEnd = true
        shutdown(sessions[index].descriptor, Int32(SHUT_WR))
        // A subscriber stays; ours has nothing more to say.
        sessions[index].read(buffer)
        drop(index)
    }

    private mutating func shutdownRead(_ index: Int) {
        sessions[index].mayEnd = true
        shutdown(sessions[index].descriptor, Int32(SHUT_RD))
        burst(index)
        drop(index)
    }

    /// Asks for much and is gone.
    private mutating func leaveUnread(_ index: Int) {
        sessions[index].mayEnd = true
        var bytes: [UInt8] = []
        for _ in 0..<random.below(50) { bytes += Array("{\"id\":1,\"method\":\"readers\"}\n".utf8) }
        step += 1
        _ = bytes.withUnsafeBytes {
            Glibc.send(
                sessions[index].descriptor, $0.baseAddress, $0.count,
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        drop(index)
    }

    /// Everything that was asked on it is answered.
    private mutating func settle(_ index: Int) -> String? {
        let deadline = Clock.now() + 20_000_000_000
        while sessions[index].isWaiting, !sessions[index].hasEnded, sessions[index].complaint == nil {
            if sessions[index].read(buffer) == 0 { usleep(50) }
            if Clock.now() > deadline { return "answers are missing after 20 s" }
        }
        return sessions[index].complaint
    }
}
