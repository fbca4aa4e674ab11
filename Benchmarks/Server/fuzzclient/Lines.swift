import ReaderTesting

/// Random lines of the protocol, right and wrong ones.
enum Lines {
    /// What the daemon will answer with.
    enum Answer: Equatable {
        case id(Int)
        /// It cannot know the id.
        case null
        /// The line may have become anything.
        case any
    }

    /// What a connection has learnt that its requests may name.
    struct Knowledge {
        var instance = "nope"
        var lastSequence = 0
        /// Of the last claim that was granted to anybody.
        var token = "nope"
    }

    private static let readers = ["virtual-till", "virtual-door", "nope", "", "\\u0000", "é", "a\\nb"]
    private static let claimed = [
        "virtual-till", "virtual-till", "virtual-sim", "virtual-sim", "virtual-door", "nope",
    ]
    private static let plain = ["ping", "barrier", "readers", "unsubscribe"]
    private static let ofReader = [
        "release", "retain", "activate", "deactivate", "cancel_activation", "cancel_swipe",
        "test_communication",
        "autodetect", "stats",
    ]
    private static let broken = [
        "", "{", "}", "[]", "null", "{\"id\":1", "{\"id\":1,\"id\":2,\"method\":\"ping\"}", "\u{FEFF}{}",
        "{} {}",
        "{\"a\":\"\\ud800\"}", "{\"a\":1e999}", "{\"a\":01}", "\"", "{\"id\":1,}", "{'id':1}", "NaN",
        "[[[[[[[[[[[[[[[[[[[[",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1",
    ]

    static func valid(_ id: Int, _ random: inout SeededGenerator, _ known: Knowledge) -> ([UInt8], Answer) {
        let text: String
        switch random.below(72) {
        case 0...23: text = request(id, random.pick(plain), "")
        case 24...37: text = request(id, random.pick(ofReader), "\"reader\":\"\(random.pick(readers))\"")
        case 38...43: text = request(id, "subscribe", subscription(&random, known))
        case 44...49: text = request(id, "claim", claim(&random, known))
        case 50, 51:
            text = request(
                id, "request_swipe", "\"reader\":\"virtual-till\",\"timeout_s\":\(random.below(25))")
        case 52, 53: text = request(id, "property_get", "\"reader\":\"virtual-till\",\"name\":\"serial\"")
        case 54:
            text = request(
                id, "property_set", "\"reader\":\"virtual-till\",\"name\":\"x\",\"value\":[1,{\"a\":null}]")
        case 55:
            text = request(id, "set", "\"reader\":\"virtual-till\",\"swipe_timeout_s\":\(random.below(25))")
        case 56:
            text = request(
                id, "answer_prompt", "\"reader\":\"virtual-till\",\"prompt\":\"p\",\"answer\":\"yes\"")
        case 57: text = request(id, "set_audio_reader", "\"reader\":\"virtual-door\",\"type\":\"passive\"")
        case 58: text = request(id, "log_level", "\"level\":\"error\"")
        case 59: text = request(id, random.pick(["fly", "", "PING", "ping "]), "")
        case 60: text = request(id, "ping", "\"unknown\":true")
        case 61: text = "{\"id\":\"text-\(id)\",\"method\":\"ping\"}"
        case 62: text = random.below(50) == 0 ? request(id, "schema", "") : request(id, "ping", "")
        case 63: text = request(id, "simulate", "\"reader\":\"virtual-till\",\"action\":\"fly\"")
        case 64...66: text = request(id, "release", "\"reader\":\"\(random.pick(claimed))\"")
        case 67, 68: text = request(id, "retain", "\"reader\":\"\(random.pick(claimed))\"")
        case 69: text = rare(id, &random)
        case 70: text = request(id, "levels", "\"reader\":\"virtual-door\",\"after\":\(random.below(100))")
        default: text = request(id, "barrier", "")
        }
        return (Array(text.utf8) + [10], text.hasPrefix("{\"id\":\"") ? .any : .id(id))
    }

    private static func request(_ id: Int, _ method: String, _ parameters: String) -> String {
        "{\"id\":\(id),\"method\":\"\(method)\",\"params\":{\(parameters)}}"
    }

    /// Mostly one that is answered at once: whoever asks waits a second for a holder that says nothing.
    private static func claim(_ random: inout SeededGenerator, _ known: Knowledge) -> String {
        let mode = random.below(500) == 0 ? ["", ",\"mode\":\"ask\""][random.below(2)] : ",\"mode\":\"try\""
        let token = random.below(2) == 0 ? ",\"token\":\"\(known.token)\"" : ""
        return "\"reader\":\"\(random.pick(claimed))\"\(mode)\(token)"
    }

    /// What does much: a card on a virtual reader, the reader pulled out and plugged in, the configuration read again.
    private static func rare(_ id: Int, _ random: inout SeededGenerator) -> String {
        let sim = "\"reader\":\"virtual-sim\",\"action\":"
        switch random.below(400) {
        case 0...19: return request(id, "simulate", sim + "\"swipe\"")
        case 20: return request(id, "simulate", sim + "\"disconnect\"")
        case 21...24: return request(id, "simulate", sim + "\"connect\"")
        case 25, 26: return request(id, "reload", "")
        default: return request(id, "stats", "")
        }
    }

    private static func subscription(_ random: inout SeededGenerator, _ known: Knowledge) -> String {
        let events = random.pick(["\"*\"", "\"swipe\"", "\"connect\",\"ready\"", "", "\"nope\""])
        switch random.below(6) {
        case 0: return "\"events\":[\(events)]"
        case 1: return "\"events\":[\(events)],\"snapshot\":true"
        case 2: return "\"since\":{\"instance\":\"nope\",\"seq\":\(random.below(1_000))}"
        case 3:
            // Where it was, a little or long before, or in the future.
            let number = max(0, known.lastSequence - random.pick([0, 1, 5, 100, 2_000]) + random.below(2))
            return "\"since\":{\"instance\":\"\(known.instance)\",\"seq\":\(number)}"
        default: return "\"readers\":[\"\(random.pick(readers))\"],\"events\":[\(events)]"
        }
    }

    /// A line that is no request.
    static func broken(_ random: inout SeededGenerator) -> ([UInt8], Answer) {
        if random.below(3) > 0 { return (Array(random.pick(broken).utf8) + [10], .any) }
        return (random.bytes(random.below(200)).map { $0 == 10 ? 11 : $0 } + [10], .any)
    }

    /// A good line with a few bytes changed.
    static func mutated(_ id: Int, _ random: inout SeededGenerator, _ known: Knowledge) -> ([UInt8], Answer) {
        var (line, _) = valid(id, &random, known)
        for _ in 0...random.below(4) {
            let byte = UInt8(truncatingIfNeeded: random.next())
            line[random.below(line.count - 1)] = byte == 10 ? 32 : byte
        }
        return (line, .any)
    }
}
