import CEpoll
import Glibc
import LoadMeasures

/// Reads with all clients until each has had the last event, or nothing comes any more.
final class Reading {
    private let dialect: Dialect
    private let times: SendTimes
    private var clients: [Client] = []
    private let poller = epoll_create1(0)
    private var latencies = Histogram()
    private var outOfOrder = 0
    private var finished = 0
    private var refused = 0
    private var cutOff = 0

    private struct Client {
        var descriptor: Int32
        /// The number of the last event before the first.
        var base: Int
        var last = 0
        var got = 0
        var rest: [UInt8] = []
        var isOpen = true
    }

    private static let silence: Int32 = 5_000

    init(_ dialect: Dialect, _ address: String, _ readers: Int, _ times: SendTimes) {
        self.dialect = dialect
        self.times = times
        for index in 0..<readers {
            var base = 0
            let descriptor = dialect.subscribe(address, index, last: &base)
            guard descriptor >= 0 else {
                refused += 1
                continue
            }
            var event = epoll_readable(UInt(clients.count))
            epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)
            clients.append(Client(descriptor: descriptor, base: base))
        }
    }

    func run() {
        print("ready \(clients.count) refused \(refused)")
        fflush(nil)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        // The first event may take its time.
        var patience: Int32 = 60_000
        while finished < clients.count {
            let count = epoll_wait(poller, &events, Int32(events.count), patience)
            if count == 0 { break }
            for index in 0..<Int(max(0, count)) { read(Int(epoll_index(events[index])), buffer) }
            patience = Reading.silence
        }
        report()
    }

    private func read(_ index: Int, _ buffer: UnsafeMutableRawBufferPointer) {
        let kept = clients[index].rest.count
        clients[index].rest.withUnsafeBytes { buffer.copyMemory(from: $0) }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[kept...])
        let count = recv(clients[index].descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0, errno == EAGAIN { return }
            cutOff += 1
            return finish(index)
        }
        let now = Clock.now()
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<(kept + count)])
        let base = clients[index].base
        var last = clients[index].last
        var got = 0
        let taken = dialect.take(bytes) { counted in
            let number = counted - base
            if number != last + 1 { outOfOrder += 1 }
            last = number
            got += 1
            let sent = times[number - 1]
            latencies.add(now > sent ? (now - sent) / 1_000 : 0)
        }
        clients[index].last = last
        clients[index].got += got
        clients[index].rest = Array(bytes[taken...])
        if last >= times.count { finish(index) }
    }

    private func finish(_ index: Int) {
        guard clients[index].isOpen else { return }
        clients[index].isOpen = false
        finished += 1
        epoll_ctl(poller, EPOLL_CTL_DEL, clients[index].descriptor, nil)
    }

    private func report() {
        let got = clients.reduce(0) { $0 + $1.got }
        let expected = clients.count * times.count
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        print(
            "readers \(clients.count) got \(got) of \(expected) lost \(expected - got) out-of-order \(outOfOrder)",
            "ended-early \(cutOff) p50 \(latencies.percentile(0.5)) us p99 \(latencies.percentile(0.99)) us",
            "p99.9 \(latencies.percentile(0.999)) us max \(latencies.maximum) us readers-cpu \(cpu) s")
    }
}
