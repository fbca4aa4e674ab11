import Glibc
import ReaderTesting
import Synchronization
import TestSupport

/// A simulated encoder at the far end of a terminal, on a thread of its own.
final class EncoderAtTerminal: Sendable {
    private let cards = Mutex<[EncodedCard]>([])
    private let isEnding = Atomic<Bool>(false)
    private let ended = Mutex<EncoderSimulator?>(nil)

    init(_ terminal: PseudoTerminal) {
        startThread { [self] in
            var encoder = EncoderSimulator()
            while !isEnding.load(ordering: .acquiring) {
                if let bytes = terminal.next(milliseconds: 20), !bytes.isEmpty {
                    terminal.send(encoder.receive(bytes))
                }
                let card = cards.withLock { cards -> EncodedCard? in
                    encoder.isWaitingForCard && !cards.isEmpty ? cards.removeFirst() : nil
                }
                guard let card else { continue }
                // So long a card takes to pass at the least.
                usleep(120_000)
                terminal.send(encoder.swipe(card.stripes))
            }
            while let bytes = terminal.next(milliseconds: 20), !bytes.isEmpty { _ = encoder.receive(bytes) }
            ended.withLock { $0 = encoder }
        }
    }

    /// A card passes as soon as the encoder waits for one.
    func swipe(isBackward: Bool, damagesTrack2: Bool = false) {
        let texts = [
            "%B4111111111111111^DOE/JANE^29121010000000000000?", ";4111111111111111=29121010000000000?", nil,
        ]
        guard var card = try? EncodedCard(texts, isBackward: isBackward) else { return }
        if damagesTrack2 { card.damage(track: 2, bit: 60) }
        cards.withLock { $0.append(card) }
    }

    /// What it is left as.
    func end() -> EncoderSimulator {
        isEnding.store(true, ordering: .releasing)
        while true {
            if let encoder = ended.withLock({ $0 }) { return encoder }
            usleep(1000)
        }
    }
}
