import TestSupport
import Testing

/// What the Python client does with JSON objects that are no lines of the protocol.
@Suite(.timeLimit(.minutes(5)), .enabled(if: PythonScript.isThere, "\(PythonScript.isMissing)"))
struct PythonLineTests {
    /// Says that line in place of the greeting, of an event, or of an answer; what the client makes of it.
    private func error(_ place: String, _ line: String) async -> String {
        await PythonScript.run(
            PythonDaemon.text + """
                def serve():
                    peer = Peer()
                    if sys.argv[2] != "greeting":
                        peer.greet(4)
                    if sys.argv[2] == "event":
                        peer.answer({"seq": 4})
                    if sys.argv[2] == "answer":
                        next(peer.requests)
                    peer.socket.sendall(sys.argv[3].encode() + b"\\n")
                    next(peer.requests)

                start(serve)
                try:
                    next(Client(path).events(reconnect=True))
                except SwipedError as error:
                    print(error, error.code, error.retryable, error.__context__)
                """, place, line)
    }

    /// It is said in words what is wrong, nothing of what stands there is repeated, and asking again is of no use.
    private func expectWords(
        _ said: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(said == "protocol: the daemon \(words) protocol False None\n", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ("{}", "did not greet"), (#"{"hello":5}"#, "sent a line without the dict 'hello'"),
        (#"{"hello":{}}"#, "sent a line without the str 'protocol'"),
        (#"{"hello":{"protocol":"swipe/1","seq":1}}"#, "sent a line without the str 'instance'"),
        (#"{"hello":{"protocol":"swipe/1","instance":"i","seq":true}}"#, "sent a line without the int 'seq'"),
        (#"{"event":"bye"}"#, "sent a line without the str 'time'"),
    ])
    func aGreetingThatIsNone(_ line: String, _ words: String) async {
        expectWords(await error("greeting", line), words)
    }

    @Test(arguments: [
        (#"{"card":6011000990139424}"#, "sent a line that is neither an event nor an answer"),
        (#"{"event":["6011000990139424"]}"#, "sent a line without the str 'event'"),
        (#"{"event":"swipe","time":"","mono_ns":1}"#, "sent a line without the dict 'data'"),
        (
            #"{"event":"swipe","time":"","mono_ns":1,"data":{},"seq":"6011000990139424"}"#,
            "sent a line without the int 'seq'"
        ),
        (#"{"event":"bye","time":"","mono_ns":1,"data":{}}"#, "sent a line without the str 'code'"),
    ])
    func anEventThatIsNone(_ line: String, _ words: String) async {
        expectWords(await error("event", line), words)
    }

    @Test(arguments: [
        (#"{"id":1}"#, "sent an answer with neither a result nor an error"),
        (#"{"id":1,"result":null}"#, "sent a line without the int 'seq'"),
        (#"{"id":1,"result":{"seq":1,"readers":{}}}"#, "sent a line without the list 'readers'"),
        (#"{"id":1,"error":"none"}"#, "sent a line without the dict 'error'"),
        (#"{"id":1,"error":{"code":"c","message":"m"}}"#, "sent a line without the bool 'retryable'"),
    ])
    func anAnswerThatIsNone(_ line: String, _ words: String) async {
        expectWords(await error("answer", line), words)
    }
}
