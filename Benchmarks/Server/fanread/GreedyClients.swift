import CEpoll
import Glibc
import LoadMeasures

/// Clients that hear everything, read at once, and ask as fast as the daemon takes it, until standard input ends.
final class GreedyClients {
    private let poller = epoll_create1(0)
    private var clients: [Client] = []
    private var answers: UInt64 = 0

    private struct Client {
        var descriptor: Int32
        /// How much of the block the socket has taken.
        var sent = 0
    }

    /// What each asks over and over: mostly what costs little, some that costs much, a new subscription with a snapshot.
    private static let block: [UInt8] = {
        var lines = [
            #"{"id":1,"method":"subscribe","params":{"snapshot":true}}"#, #"{"id":1,"method":"schema"}"#,
        ]
        for _ in 0..<40 { lines.append(#"{"id":1,"method":"ping"}"#) }
        for method in ["readers", "stats", "barrier"] {
            for _ in 0..<4 { lines.append(#"{"id":1,"method":"\#(method)"}"#) }
        }
        return lines.flatMap { Array($0.utf8) + [10] }
    }()

    init(_ address: String, _ count: Int) {
        for _ in 0..<count {
            let descriptor = Sockets.connect(address)
            guard descriptor >= 0 else { continue }
            var event = epoll_both(UInt(clients.count))
            epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)
            clients.append(Client(descriptor: descriptor))
        }
    }

    func run() {
        print("ready \(clients.count)")
        fflush(nil)
        let start = Clock.now()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !inputHasEnded() {
            let count = epoll_wait(poller, &events, Int32(events.count), 100)
            for index in 0..<Int(max(0, count)) { serve(Int(epoll_index(events[index])), buffer) }
        }
        let seconds = Double(Clock.now() - start) / 1e9
        print("greedy clients \(clients.count) lines \(UInt64(Double(answers) / seconds))/s")
    }

    private func serve(_ index: Int, _ buffer: UnsafeMutableRawBufferPointer) {
        let descriptor = clients[index].descriptor
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else {
                if count == 0 || errno != EAGAIN { epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil) }
                break
            }
            answers += UInt64(buffer[..<count].reduce(0) { $0 + ($1 == 10 ? 1 : 0) })
            if count < buffer.count { break }
        }
        while true {
            let rest = GreedyClients.block[clients[index].sent...]
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return }
            clients[index].sent = (clients[index].sent + count) % GreedyClients.block.count
        }
    }

    private func inputHasEnded() -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, 0) > 0 else { return false }
        var byte: UInt8 = 0
        return Glibc.read(STDIN_FILENO, &byte, 1) <= 0
    }
}
