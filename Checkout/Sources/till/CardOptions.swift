import ArgumentParser
import Checkout
import SwipeClient

/// ``ChipRule`` as an option.
enum ChipOption: String, CaseIterable, ExpressibleByArgument {
    case ask, allow, refuse

    var rule: ChipRule {
        switch self {
        case .ask: .ask
        case .allow: .allow
        case .refuse: .refuse
        }
    }
}

/// How the card comes.
struct CardOptions: ParsableArguments {
    @Option(help: "The daemon's socket; $SWIPED_SOCKET, or the usual one, where it is not given.") var socket:
        String?
    @Option(help: "The reader's id; the first one that is there where it is not given.") var reader: String?
    @Flag(help: "Use no reader.") var noReader = false
    @Flag(help: "Ask for the code (CVV) also after a swipe.") var swipeNeedsCode = false
    @Option(
        help: """
            A swiped card that has a chip: ask to insert it and take the stripe when it is swiped again, allow it at once, \
            or refuse it.
            """)
    var chip = ChipOption.ask
    @Flag(help: "No form: pay with the next swipe, or with --wallet.") var headless = false
    @Option(help: "With --headless: pay with this wallet.") var wallet: String?
    @Option(
        help:
            "How many seconds to wait for a card; as long as it takes where it is not given. Not for the form."
    )
    var wait: Int?

    func validate() throws {
        guard (1...3600).contains(wait ?? 1) else { throw ValidationError("seconds are between 1 and 3600") }
        guard wallet == nil || headless else { throw ValidationError("--wallet goes with --headless") }
        guard !headless || wallet != nil || !noReader else {
            throw ValidationError("--headless needs a reader or --wallet")
        }
    }

    /// The daemon's socket; nil where no reader is wanted.
    var socketPath: String? {
        guard !noReader, wallet == nil else { return nil }
        return socket ?? Screen.variable("SWIPED_SOCKET") ?? SwipeClient.defaultPath
    }
}
