import Foundation
import Synchronization

/// A web service of this machine, whose requests one function answers, one after the other.
package final class LocalService: Sendable {
    package struct Request: Sendable {
        package let method: String
        /// Without its query.
        package let path: String
        package let query: [String: String]
        package let headers: [String: String]
        package let body: String

        /// The body's pairs.
        package var form: [String: String] { LocalService.pairs(body) }
    }

    package struct Answer: Sendable {
        package var status: Int
        package var type: String
        package var body: String
        package var headers: [String: String] = [:]

        package init(_ status: Int, _ type: String, _ body: String, headers: [String: String] = [:]) {
            (self.status, self.type, self.body, self.headers) = (status, type, body, headers)
        }
    }

    private let listener: LocalListener
    private let requests = Mutex<[Request]>([])

    package init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        listener = try LocalListener()
        Thread.detachNewThread { [self] in
            while let client = listener.next() {
                Thread.detachNewThread { [self] in serve(Wire(client), answer) }
            }
        }
    }

    package var address: String { listener.url }
    package var log: [Request] { requests.withLock { $0 } }
    package func stop() { listener.stop() }

    private func serve(_ client: Wire, _ answer: (Request) -> Answer) {
        defer { client.end() }
        guard let bytes = client.message(), let request = Self.parse(String(decoding: bytes, as: UTF8.self))
        else {
            return
        }
        let said = requests.withLock { log in
            log.append(request)
            return answer(request)
        }
        let more = said.headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        client.send(
            Array(
                ("HTTP/1.1 \(said.status) Said\r\nContent-Type: \(said.type)\r\n\(more)"
                    + "Content-Length: \(said.body.utf8.count)\r\nConnection: close\r\n\r\n\(said.body)").utf8
            ))
    }

    private static func parse(_ text: String) -> Request? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        let parts = words[1].split(separator: "?", maxSplits: 1).map(String.init)
        let headers = lines.dropFirst().map {
            $0.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Request(
            method: words[0], path: parts[0], query: parts.count > 1 ? pairs(parts[1]) : [:],
            headers: Dictionary(headers.filter { $0.count == 2 }.map { ($0[0].lowercased(), $0[1]) }) {
                first, _ in first
            },
            body: String(text[end.upperBound...]))
    }

    static func pairs(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Dictionary(
            pairs.filter { $0.count == 2 }.map {
                (String($0[0]).removingPercentEncoding ?? "", String($0[1]).removingPercentEncoding ?? "")
            }
        ) { first, _ in first }
    }
}
