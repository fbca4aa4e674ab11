internal import Diagnosis
internal import NIOCore
internal import SwipeProtocol

/// One look at the daemon's readers with the doctor's eyes, for all pages that ask meanwhile.
///
/// It concludes from what the daemon says alone: what else is to be seen of a system, `swipectl doctor` looks at.
final class DoctorVisit: LinkUser {
    typealias Outcome = Result<JSONValue, LinkEnd>

    private unowned let gateway: Gateway
    private var link: DaemonLink?
    private var list: ReaderList?
    private var waiting: [(Outcome) -> Void] = []
    private var timer: Scheduled<Void>?

    /// How long the daemon may take.
    private static let patience = TimeAmount.seconds(5)
    private static let (readersID, statisticsID) = ("readers", "stats")

    init(_ gateway: Gateway) { self.gateway = gateway }

    func wait(_ done: @escaping (Outcome) -> Void) { waiting.append(done) }

    func start() {
        let bound = NIOLoopBound(self, eventLoop: gateway.loop)
        timer = gateway.loop.scheduleTask(in: Self.patience) {
            bound.value.finish(.failure(.unsuited("it does not answer")))
        }
        // No more than who sees least: there is no card in it.
        link = gateway.link(as: .status, user: self)
    }

    private func finish(_ outcome: Outcome) {
        timer?.cancel()
        link?.close()
        link = nil
        if case .failure(let why) = outcome { gateway.daemonFailed(why) }
        gateway.doctorWent()
        for done in waiting { done(outcome) }
        waiting = []
    }

    // MARK: The daemon

    var takesLines: Bool { true }

    func linkGreeted(_ hello: Hello) {
        gateway.daemonGreeted()
        for (id, method) in [(Self.readersID, "readers"), (Self.statisticsID, "stats")] {
            var writer = JSONWriter()
            let request: JSONValue = ["id": .string(id), "method": .string(method)]
            request.write(to: &writer)
            link?.send(writer.finish())
        }
        link?.flush()
    }

    func linkLine(_ line: ByteBuffer) {
        let object = (try? JSONReader.value(of: Array(line.readableBytesView)))?.object
        guard let object, let id = object["id"]?.string else { return }
        guard let result = object["result"] else {
            return finish(.failure(.unsuited("it does not say what it knows of its readers")))
        }
        switch id {
        case Self.readersID: list = try? ReaderList(json: result)
        case _:
            let counted = result.object?["readers"]?.object ?? JSONObject()
            let findings = list.map { Diagnosis.findings($0, counted: counted) } ?? []
            finish(.success(.array(findings.compactMap(Self.value))))
        }
    }

    private static func value(_ finding: Finding) -> JSONValue? {
        var writer = JSONWriter()
        FindingLine(finding).write(to: &writer)
        return writer.finish().withBytes { try? JSONReader.value(of: Array($0)) }
    }

    func linkPaused() {}

    func linkHasRoom() {}

    func linkEnded(_ why: LinkEnd) {
        link = nil
        finish(.failure(why))
    }
}
