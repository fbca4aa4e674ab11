import Checkout
import CheckoutTesting
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import CheckoutHTTP

/// What an answer says of the money, whoever gave it.
@Suite struct AnswerTableTests {
    static let statuses: [UInt] = [
        100, 200, 201, 204, 301, 302, 304, 400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 413, 422, 425,
        429, 451, 500,
        502, 503, 504, 520, 599, 600, 999,
    ]
    static let types: [String?] = [
        nil, "text/html", "text/html; charset=utf-8", "application/json", "Application/JSON; charset=utf-8",
        "application/problem+json", "text/plain",
    ]
    /// Bodies, and whether they are the service's own error about the request `key_1`.
    static let bodies: [(String, Bool)] = [
        (#"{"error":{"code":"declined","message":"no","about":"key_1"}}"#, true),
        (#"{"error":{"code":"declined","message":"no","about":"key_2"}}"#, false),
        (#"{"error":{"code":"declined","message":"no","about":""}}"#, false),
        (#"{"error":{"code":"declined","message":"no"}}"#, false), (#"{"error":"declined"}"#, false),
        ("<html><h1>402 Payment Required</h1></html>", false), ("", false),
        (#"{"error":{"code":"decl"#, false),
        (#"{"id":"src_1","status":"failed"}"#, false),
    ]

    private static func proof(_ status: UInt, _ type: String?, _ body: String) -> AnswerTable.Proof {
        let headers = HTTPHeaders(type.map { [("Content-Type", $0)] } ?? [])
        let answer = HTTPAnswer(status: status, headers: headers, body: ByteBuffer(string: body))
        return Answers.proof(answer, about: "key_1")
    }

    /// Every status, content type, body and step: refused only by the service's own word about this request, and an
    /// authorisation by nothing.
    @Test(arguments: AnswerTable.Step.allCases) func onlyTheServicesOwnWordRefuses(step: AnswerTable.Step) {
        for status in Self.statuses {
            for type in Self.types {
                for (body, isOwn) in Self.bodies {
                    let verdict = AnswerTable.verdict(status, Self.proof(status, type, body), step)
                    guard case .failed(_, let certainty) = verdict else {
                        Issue.record("\(status) \(body) was taken")
                        continue
                    }
                    let isJSON = type?.lowercased().hasPrefix("application/json") == true
                    let mayRefuse =
                        isOwn && isJSON && (400...499).contains(status) && step != .authorise && step != .move
                    #expect((certainty == .refused) == mayRefuse, "\(step) \(status) \(type ?? "-") \(body)")
                    #expect(certainty != .notSent)
                }
            }
        }
    }

    /// The table, line by line.
    @Test(
        arguments: [
            (200, .resource, .open, .taken), (201, .resource, .create, .taken),
            (200, .resource, .authorise, .taken),
            (302, .resource, .poll, .failed(.badAnswer, .unknown)),
            (402, .resource, .authorise, .failed(.badAnswer, .unknown)),
            (200, .foreign, .authorise, .failed(.badAnswer, .unknown)),
            (200, .refusal(.declined), .create, .failed(.badAnswer, .unknown)),
            (402, .foreign, .create, .failed(.badAnswer, .unknown)),
            (422, .foreign, .authorise, .failed(.badAnswer, .unknown)),
            (422, .refusal(.invalidNumber), .create, .failed(.invalidNumber, .refused)),
            (422, .stray(.invalidNumber), .create, .failed(.badAnswer, .unknown)),
            (422, .stray(.conflict), .open, .failed(.conflict, .unknown)),
            (422, .kept(.invalidNumber), .create, .failed(.invalidNumber, .unknown)),
            (400, .kept(.conflict), .move, .failed(.conflict, .refused)),
            (402, .kept(.declined), .authorise, .failed(.declined, .unknown)),
            (401, .refusal(nil), .lookUp, .failed(.badKey, .refused)),
            (401, .stray(nil), .lookUp, .failed(.badAnswer, .unknown)),
            (404, .refusal(nil), .poll, .failed(.notFound, .refused)),
            (409, .refusal(.conflict), .authorise, .failed(.conflict, .unknown)),
            (402, .refusal(.declined), .authorise, .failed(.declined, .unknown)),
            (429, .foreign, .open, .failed(.tooManyRequests, .unknown)),
            (429, .refusal(.tooManyRequests), .open, .failed(.tooManyRequests, .refused)),
            (500, .refusal(.declined), .create, .failed(.serverFailed, .unknown)),
            (503, .foreign, .giveUp, .failed(.serverFailed, .unknown)),
        ] as [(UInt, AnswerTable.Proof, AnswerTable.Step, AnswerTable.Verdict)])
    func theTable(
        status: UInt, proof: AnswerTable.Proof, step: AnswerTable.Step, verdict: AnswerTable.Verdict
    ) {
        #expect(AnswerTable.verdict(status, proof, step) == verdict)
    }

    /// What another request has made is not taken. A service that does not say which one is taken at its word.
    @Test func whatIsMadeSaysWithWhichKey() {
        let (ours, theirs) = (IdempotencyKey(), IdempotencyKey())
        for (key, isTaken) in [(ours.value, true), (theirs.value, false), (nil, true)] {
            let said = key.map { #","key":"\#($0)"}"# } ?? "}"
            let transaction = ByteBuffer(
                string:
                    #"{"id":"txn_1","token":"t","description":"Shoes","amount":440,"currency":"EUR","methods":[]"#
                    + said)
            let source = ByteBuffer(
                string: #"{"id":"src_1","transaction":"txn_1","status":"pending""# + said)
            #expect((Answers.transaction(transaction, nil, madeWith: ours) != nil) == isTaken)
            #expect((Answers.source(source, nil, TransactionID("txn_1"), madeWith: ours) != nil) == isTaken)
        }
    }

    /// An answer about something else is none, however right it looks.
    @Test func answersAreAboutWhatWasAsked() {
        let source = #"{"id":"src_1","transaction":"txn_1","status":"cancelled"}"#
        let read = { (text: String, id: String?, transaction: String) in
            Answers.source(ByteBuffer(string: text), id.map { SourceID($0) }, TransactionID(transaction))
        }
        #expect(read(source, "src_1", "txn_1")?.status == .cancelled)
        #expect(read(source, nil, "txn_1")?.id == SourceID("src_1"))
        #expect(read(source, "src_2", "txn_1") == nil && read(source, "src_1", "txn_2") == nil)
        #expect(read(#"{"id":"src_1","status":"cancelled"}"#, "src_1", "txn_1") == nil, "nobody's")
        let charged = """
            {"id":"src_1","transaction":"txn_1","status":"consumed","charge":{"id":"ch_1","transaction":"txn_9",
            "amount":440,"currency":"EUR","description":"Shoes"}}
            """
        #expect(read(charged, "src_1", "txn_1") == nil, "another transaction's charge")
    }
}
