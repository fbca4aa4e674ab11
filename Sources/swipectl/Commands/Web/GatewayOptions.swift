import ArgumentParser
import Glibc
import SwipeProtocol

/// How the gateway's control socket is reached, and how its answers are printed.
struct GatewayOptions: ParsableArguments {
    @Option(help: "The gateway's control socket.", completion: .file())
    var control = "/run/swiped-web-control.sock"

    @Flag(help: "The gateway's answer, one JSON object.")
    var json = false

    /// How long the gateway may take.
    private static let patienceSeconds = 10
    private static let maximumAnswer = 1_024 * 1_024

    /// Asks one thing.
    func ask(_ method: String, _ parameters: JSONValue) throws -> JSONValue {
        let descriptor = try connected()
        defer { close(descriptor) }
        var writer = JSONWriter()
        let request: JSONValue = ["method": .string(method), "params": parameters]
        request.write(to: &writer)
        let line = writer.finish().withBytes { Array($0) }
        guard send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else {
            throw failure("cannot be asked")
        }
        let answer = (try? JSONReader.value(of: try answer(descriptor)))?.object
        if let error = answer?["error"]?.object {
            throw CommandFailure(.failure, (error["message"]?.string ?? "refused").printable)
        }
        guard let result = answer?["result"] else { throw failure("gave no answer that can be read") }
        return result
    }

    private func connected() throws(CommandFailure) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(control.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw CommandFailure(.usage, "\(control): longer than a socket path can be")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            if code == EACCES || code == EPERM {
                throw CommandFailure(.denied, "\(control): this user may not; try with sudo")
            }
            throw CommandFailure(
                .noDaemon,
                "\(control): swiped-web does not listen there (systemctl start swiped-web-control.socket)")
        }
        return descriptor
    }

    private func answer(_ descriptor: Int32) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.last != UInt8(ascii: "\n"), bytes.count < Self.maximumAnswer {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("gave no answer in time") }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private func failure(_ words: String) -> CommandFailure {
        CommandFailure(.failure, "\(control): the gateway \(words); see its log: journalctl -u swiped-web")
    }
}
