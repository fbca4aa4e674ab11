import ArgumentParser
import Checkout
import CheckoutHTTP

/// The payment service, how long to wait for it, and where payments are written down.
struct ServiceOptions: ParsableArguments {
    @Option(help: "The payment service's address; $TILL_SERVICE where it is not given.") var service: String?
    @OptionGroup var api: APIOptions
    @Option(help: "A PEM file with certificates to trust beside the system's.") var trust: String?
    @Option(
        help: ArgumentHelp(
            "This till's name in the payment service's books; $TILL_NAME, or till.",
            discussion:
                "Tills that share a journal should each have one, the same after a crash: without, each terminal is one."
        ))
    var name: String?
    @Option(help: "How many seconds to wait for the payment service to confirm.") var patience = 60
    @Option(help: "How many seconds the payment service has for one whole answer.") var timeout = 15
    @Option(help: "How many seconds the customer has to agree elsewhere.") var approval = 300
    @Option(
        help:
            "The folder for payments under way; $TILL_JOURNAL, or till in $XDG_STATE_HOME or ~/.local/state.")
    var journal: String?

    /// A till that waits for another one gives it more time than that takes itself.
    private static let othersSeconds = 30

    func validate() throws {
        guard tillName.utf8.count <= SourceParams.longestMetadata else {
            throw ValidationError("a till's name has up to \(SourceParams.longestMetadata) bytes")
        }
        guard [patience, approval, timeout].allSatisfy((1...3600).contains) else {
            throw ValidationError("seconds are between 1 and 3600")
        }
    }

    private var givenName: String? { name ?? Screen.variable("TILL_NAME") }

    var tillName: String { givenName ?? "till" }

    /// The till that a note is of. Who sells at another terminal is somebody else; what has neither name nor terminal is all one.
    func journal(in folder: String) throws(PaymentJournalError) -> FileJournal {
        let terminal = ThisProcess.terminal.map { "terminal \($0)" }
        return try FileJournal(folder: folder, seller: givenName ?? terminal ?? "")
    }

    func address() throws -> String {
        guard let address = service ?? Screen.variable("TILL_SERVICE") else {
            throw ValidationError("where is the payment service? Give --service or set TILL_SERVICE")
        }
        return address
    }

    /// Not an option: other users see a process's arguments.
    func apiKey() throws -> APIKey {
        guard let key = Screen.variable("TILL_KEY") else {
            throw ValidationError("set TILL_KEY to the merchant's key")
        }
        return key.hasPrefix("skey_") ? .secretKey(key) : .publicKey(key)
    }

    func gateway(_ address: String) throws -> any PaymentGateway {
        try api.gateway(
            HTTPGatewayConfiguration(
                address: address, additionalTrust: trust, answerTimeout: .seconds(timeout)))
    }

    var policy: PaymentPolicy {
        PaymentPolicy(
            pollTimeout: .seconds(patience), redirectTimeout: .seconds(approval),
            othersTimeout: .seconds(patience + Self.othersSeconds))
    }

    func journalFolder() throws -> String {
        guard let folder = journal ?? Screen.variable("TILL_JOURNAL") ?? Screen.stateFolder else {
            throw ValidationError("where may payments be written down? Give --journal or set TILL_JOURNAL")
        }
        return folder
    }
}
