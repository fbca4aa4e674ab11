# A web server for tests.
# shellcheck shell=bash

# serve_on_loopback FOLDER PORT_FILE: ends with the shell that starts it; its port is in PORT_FILE when this returns.
serve_on_loopback() {
    setpriv --pdeathsig KILL python3 - "$1" "$2" <<'PYTHON' &
import functools, http.server, os, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
open(sys.argv[2] + ".new", "w").write(str(server.server_port))
os.rename(sys.argv[2] + ".new", sys.argv[2])
server.serve_forever()
PYTHON
    until [ -e "$2" ]; do kill -0 $! || return 1; sleep 0.1; done
}
