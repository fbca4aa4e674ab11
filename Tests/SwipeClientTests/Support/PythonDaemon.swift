/// The beginning of scripts in Python that play the daemon.
enum PythonDaemon {
    /// A daemon that says what a test wants, when it wants it.
    static let text = """
        import json, socket, tempfile, threading, time
        path = tempfile.mkdtemp() + "/s.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()

        class Peer:
            def __init__(self):
                self.socket = listener.accept()[0]
                self.requests = map(json.loads, self.socket.makefile())
            def send(self, message):
                self.socket.sendall(json.dumps(message).encode() + b"\\n")
            def greet(self, seq, instance="i", protocol="swipe/1"):
                self.send({"hello": {"protocol": protocol, "instance": instance, "seq": seq}})
                return self
            def answer(self, result):
                request = next(self.requests)
                self.send({"id": request["id"], "result": result})
                return request["params"]
            def event(self, name, data, seq=None):
                self.send({"event": name, "time": "", "mono_ns": 1, "data": data} | ({} if seq is None else {"seq": seq}))
            def leave(self):
                self.socket.shutdown(socket.SHUT_RDWR)

        def start(serve):
            def until_the_client_goes():
                try:
                    serve()
                except (StopIteration, OSError):
                    pass
            threading.Thread(target=until_the_client_goes, daemon=True).start()

        """
}
