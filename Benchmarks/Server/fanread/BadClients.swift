import Glibc
import LoadMeasures

/// Clients that a daemon has to survive, until standard input ends: who is cut off comes back and is as bad again.
struct BadClients {
    private let dialect: Dialect
    private let address: String
    private let count: Int
    private let kind: String

    init(_ dialect: Dialect, _ address: String, _ count: Int, _ kind: String) {
        self.dialect = dialect
        self.address = address
        self.count = count
        self.kind = kind
    }

    func run() {
        var clients = (0..<count).map(connect)
        print("ready \(clients.filter { $0 >= 0 }.count)")
        fflush(nil)
        var chunk = [UInt8](repeating: 0, count: 2_048)
        var turn = 0
        var cutOff = 0
        while !inputEnded(within: 100) {
            turn += 1
            for index in clients.indices {
                if isGone(clients[index]) {
                    cutOff += 1
                } else if kind == "slow" {
                    recv(clients[index], &chunk, chunk.count, Int32(MSG_DONTWAIT))
                    continue
                } else if kind != "reset" || index % 10 != turn % 10 {
                    continue
                }
                // Cut off; or one of the tenth that leaves now, with lines unread.
                close(clients[index])
                clients[index] = connect(index)
            }
        }
        print("\(count) \(kind) clients, cut off or refused \(cutOff) times, and back each time")
    }

    private func connect(_ index: Int) -> Int32 {
        var ignored = 0
        // Another name than any other process's client has: MQTT's daemons end the older one of two that share theirs.
        return dialect.subscribe(address, Int(getpid()) * 1_000 + index, last: &ignored)
    }

    /// Whether the daemon has closed the connection, or took none. What it sent before may still be unread.
    private func isGone(_ client: Int32) -> Bool {
        guard client >= 0 else { return true }
        let ends = Int16(POLLHUP | POLLERR) | BadClients.peerClosed
        var polled = pollfd(fd: client, events: BadClients.peerClosed, revents: 0)
        return poll(&polled, 1, 0) > 0 && polled.revents & ends != 0
    }

    /// POLLRDHUP (bits/poll.h), which the Glibc module leaves out.
    private static let peerClosed: Int16 = 0x2000

    private func inputEnded(within milliseconds: Int32) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, milliseconds) > 0 else { return false }
        var byte: UInt8 = 0
        return Glibc.read(STDIN_FILENO, &byte, 1) <= 0
    }
}
