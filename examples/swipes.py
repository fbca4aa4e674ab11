#!/usr/bin/env python3
import json, os, socket, sys

path = os.environ.get("SWIPED_SOCKET") or "/run/swiped/swiped.sock"
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1] if len(sys.argv) > 1 else path)
connection.sendall(b'{"id":1,"method":"subscribe","params":{"events":["swipe"]}}\n')
for line in connection.makefile():
    message = json.loads(line)
    if message.get("event") == "swipe":
        card = message["data"]["card"] or {"kind": "unreadable"}
        try:
            print(message["reader"], card.get("pan", {}).get("masked", card["kind"]), flush=True)
        except OSError as error:
            sys.exit(f"cannot write: {error}")
sys.exit("the daemon has ended the connection")
