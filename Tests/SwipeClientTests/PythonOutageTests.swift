import TestSupport
import Testing

/// What the Python client does where a daemon, or the way to it, fails.
@Suite(.timeLimit(.minutes(5)), .enabled(if: PythonScript.isThere, "\(PythonScript.isMissing)"))
struct PythonOutageTests {
    /// Five connections that bring nothing cost five pauses, each twice the one before.
    @Test func waitsLongerWhileConnectionsAreOfNoUse() async throws {
        let output = await run(
            """
            def serve():
                began = time.monotonic()
                for attempt in range(5):
                    peer = Peer().greet(4)
                    peer.answer({"seq": 4})
                    peer.event("bye", {"code": "slow_client"})
                    peer.leave()
                peer = Peer().greet(4)
                print(time.monotonic() - began > 1.5)
                peer.answer({"seq": 4})
                peer.event("ready", {}, 5)
                next(peer.requests)

            start(serve)
            print(next(Client(path).events(reconnect=True)).seq)
            """)
        #expect(output == "True\n5\n")
    }

    /// Pauses begin anew after a connection that brought something.
    @Test func waitsNoLongerAfterOneThatWas() async throws {
        let output = await run(
            """
            pauses = []
            time.sleep = pauses.append

            def serve():
                for seq in (4, 4, 4, 5, 5):
                    peer = Peer().greet(4)
                    peer.answer({"seq": 4})
                    peer.event("ready", {}, seq)
                    peer.leave()
                peer = Peer().greet(4)
                peer.answer({"seq": 5})
                peer.event("ready", {}, 6)
                next(peer.requests)

            start(serve)
            for event in Client(path).events(reconnect=True):
                if event.seq == 6:
                    break
            print(pauses == [0.05, 0.1, 0.2, 0.05, 0.1])
            """)
        #expect(output == "True\n")
    }

    @Test func aDaemonThatOnlyTalksDoesNotAnswerInTime() async throws {
        let output = await run(
            """
            def serve():
                peer = Peer().greet(4)
                next(peer.requests)
                while True:
                    peer.event("ready", {}, 5)
                    time.sleep(0.02)

            start(serve)
            try:
                Client(path, timeout=0.3).request("ping")
            except SwipedError as error:
                print(error.code, error.retryable)
            """)
        #expect(output == "timed_out True\n")
    }

    @Test func streamsBeginWithTheReadersAndTellThemAgain() async throws {
        let output = await run(
            """
            asked = []

            def serve():
                peer = Peer().greet(4)
                asked.append(peer.answer({"seq": 4, "readers": [{"id": "first", "attachment": 1}]}))
                peer.leave()
                peer = Peer().greet(2, instance="j")
                peer.event("gap", {"from": 0, "to": 0, "reason": "restart"})
                peer.answer({"seq": 2, "readers": [{"id": "second", "attachment": 7}]})
                peer.event("ready", {}, 3)
                next(peer.requests)

            start(serve)
            events = Client(path).events(reconnect=True, snapshot=True)
            for _ in range(4):
                event = next(events)
                print(event.event, event.seq, event.reader, event.attachment)
            print(asked[0])
            """)
        #expect(
            output == """
                connect None first 1
                gap None None None
                connect None second 7
                ready 3 None None
                {'events': ['*'], 'readers': ['*'], 'snapshot': True}

                """)
    }

    @Test func aSubscriptionGivesTheReadersThatItsAnswerHas() async throws {
        let output = await run(
            """
            def serve():
                peer = Peer().greet(4)
                peer.answer({"seq": 4, "readers": [{"id": "r"}]})
                peer.answer({"seq": 4})
                peer.event("gap", {"from": 1, "to": 4, "reason": "ring"})
                peer.answer({"seq": 9, "readers": [{"id": "s"}]})
                next(peer.requests)

            start(serve)
            client = Client(path)
            print(client.subscribe("ready", snapshot=True))
            print(client.subscribe("ready"))
            readers = client.subscribe("ready", since={"instance": "i", "seq": 0})
            print(readers, client.next_event().data["reason"], client.position)
            """)
        #expect(
            output == """
                [{'id': 'r'}]
                None
                [{'id': 's'}] ring {'instance': 'i', 'seq': 9}

                """)
    }

    /// A daemon that is full is tried again, one that speaks something else is not. "weather" is a word of tomorrow.
    @Test(arguments: ["shutdown", "slow_client", "weather"])
    func comesBackThroughAFullDaemon(_ bye: String) async throws {
        let output = await run(
            """
            def serve():
                peer = Peer().greet(4)
                peer.answer({"seq": 4})
                peer.event("bye", {"code": sys.argv[2]})
                peer.leave()
                peer = Peer()
                peer.event("bye", {"code": "too_many"})
                peer.leave()
                peer = Peer().greet(4)
                peer.answer({"seq": 4})
                peer.event("ready", {}, 5)
                peer.leave()
                Peer().greet(5, protocol="swipe/2")

            start(serve)
            try:
                for event in Client(path).events(reconnect=True):
                    print(event.seq)
            except SwipedError as error:
                print(error)
            """, bye)
        #expect(output == "5\nprotocol: the daemon speaks swipe/2, this client swipe/1\n")
    }

    @Test(arguments: [("too_many", "True"), ("denied", "False")])
    func saysAtOnceWhyItIsNotLetIn(_ bye: String, _ isRetryable: String) async throws {
        let output = await run(
            """
            start(lambda: Peer().event("bye", {"code": sys.argv[2]}))
            try:
                Client(path)
            except SwipedError as error:
                print(error.code, error.retryable)
            """, bye)
        #expect(output == "\(bye) \(isRetryable)\n")
    }

    /// A line that is no JSON may hold a card: what went wrong is told without it.
    @Test func aLineThatIsNotUnderstoodIsNotRepeated() async throws {
        let output = await run(
            """
            def serve():
                peer = Peer().greet(4)
                peer.answer({"seq": 4})
                peer.socket.sendall(b'{"event":"swipe","data":{"card":6011000990139424}\\n')
                next(peer.requests)

            start(serve)
            try:
                next(Client(path).events(reconnect=True))
            except SwipedError as error:
                print(error, error.__context__)
            """)
        #expect(output == "protocol: the daemon sent a line that is not a JSON object None\n")
    }

    /// The connection is of use after a request that was not answered in time; the late answer is passed over.
    @Test func outlivesATimeLimit() async throws {
        let output = await run(
            """
            def serve():
                peer = Peer().greet(4)
                first, second = next(peer.requests), next(peer.requests)
                peer.send({"id": first["id"], "result": {"readers": ["late"]}})
                peer.send({"id": second["id"], "result": {"readers": ["in time"]}})
                next(peer.requests)

            start(serve)
            client = Client(path, timeout=0.2)
            try:
                client.readers()
            except SwipedError as error:
                print(error.code, error.retryable)
            print(client.readers())
            """)
        #expect(output == "timed_out True\n['in time']\n")
    }

    /// As many wait to be let in as may: the kernel refuses the next one at once, which is no reason to give up.
    static let crowd = """
        crowd = []
        listener.listen(0)
        try:
            while True:
                crowd.append(socket.socket(socket.AF_UNIX))
                crowd[-1].setblocking(False)
                crowd[-1].connect(path)
        except BlockingIOError:
            crowd.pop()

        """

    @Test func waitsUntilItIsLetIn() async throws {
        let output = await run(
            Self.crowd + """
                pauses = []

                def sleep(seconds):
                    pauses.append(seconds)
                    if len(pauses) == 3:
                        crowd[:] = [listener.accept() for _ in crowd]
                        start(lambda: Peer().greet(4) and listener.accept())

                time.sleep = sleep
                print(Client(path).hello["seq"], len(pauses))
                """)
        #expect(output == "4 3\n")
    }

    @Test func waitsToBeLetInForItsTimeOnly() async throws {
        let output = await run(
            Self.crowd + """
                try:
                    Client(path, timeout=0.2)
                except SwipedError as error:
                    print(error.code, error.retryable)
                """)
        #expect(output == "timed_out True\n")
    }

    @Test func goesOnWhereItWasInterrupted() async throws {
        let output = await run(
            """
            def serve():
                for seq in (5, 6):
                    peer = Peer().greet(4)
                    print(peer.answer({"seq": 4}), flush=True)
                    peer.event("ready", {}, seq)
                    peer.leave()

            start(serve)
            for event in Client(path).events("ready", readers=[], reconnect=True):
                print(event.seq, flush=True)
                if event.seq == 6:
                    break
            """)
        #expect(
            output == """
                {'events': ['ready'], 'readers': []}
                5
                {'events': ['ready'], 'readers': [], 'since': {'instance': 'i', 'seq': 5}}
                6

                """)
    }

    /// What a script prints that has the daemon's lines before its own.
    private func run(_ script: String, _ argument: String = "") async -> String {
        await PythonScript.run(PythonDaemon.text + script, argument)
    }
}
