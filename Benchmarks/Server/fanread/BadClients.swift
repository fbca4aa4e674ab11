import Glibc
import LoadMeasures

/// Clients that a daemon has to survive, until standard input ends.
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
        var ignored = 0
        var clients = (0..<count).map { dialect.subscribe(address, 10_000 + $0, last: &ignored) }
        print("ready \(clients.filter { $0 >= 0 }.count)")
        fflush(nil)
        var chunk = [UInt8](repeating: 0, count: 2_048)
        var turn = 0
        while !inputEnded(within: 100) {
            turn += 1
            switch kind {
            case "slow":
                for client in clients where client >= 0 {
                    recv(client, &chunk, chunk.count, Int32(MSG_DONTWAIT))
                }
            case "reset":
                // A tenth of them at a time is gone with lines unread, and comes back.
                for index in clients.indices where index % 10 == turn % 10 {
                    close(clients[index])
                    clients[index] = dialect.subscribe(address, 10_000 + index, last: &ignored)
                }
            default: break
            }
        }
        print("bad clients gone")
    }

    private func inputEnded(within milliseconds: Int32) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, milliseconds) > 0 else { return false }
        var byte: UInt8 = 0
        return Glibc.read(STDIN_FILENO, &byte, 1) <= 0
    }
}
