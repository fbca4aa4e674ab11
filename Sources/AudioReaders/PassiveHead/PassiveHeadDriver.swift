import CardData
package import ReaderKit
package import StripeSignal

/// A magnetic head on a sound input, or up to three, each on a channel: no power, no protocol, no encryption. Whatever passes
/// them is sound, and the decoder reads it.
///
/// It is activated and ready as soon as it is attached, since nothing about it can be asked; a swipe that cannot
/// be read is reported with the reason.
package struct PassiveHeadDriver: ReaderDriver {
    package static let descriptor = DriverDescriptor(
        name: "passive-head", kind: "passive",
        matches: [
            DeviceMatch(
                bus: .audio, model: "Passive magnetic head",
                support: .supported(proof: "recordings of real swipes"))
        ])

    private var formats = StripeFormat.standard
    private var decoder: HeadsDecoder?
    private var sampleRate = 0
    private var continuity = SoundContinuity()

    package init(_ device: DeviceIdentity) {}

    package mutating func start() -> [DriverAction] {
        let details = ReaderDetails(model: "Passive magnetic head", encryption: .clear)
        return [
            .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
        ]
    }

    package mutating func receive(_ block: SampleBlock) -> [DriverAction] {
        let (follows, losses) = continuity.note(block)
        var decoder = decoder(for: block)
        if !follows { decoder.interrupt() }
        let events = decoder.process(block.samples.span, others: block.otherHeads)
        self.decoder = decoder
        return losses + events.map { .signal(Self.signal($0)) }
    }

    package mutating func timerFired() -> [DriverAction] { [] }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }

    /// The decoder at work, or a new one where the sound's rate changed with a new capture.
    private mutating func decoder(for block: SampleBlock) -> HeadsDecoder {
        defer { decoder = nil }
        let heads = 1 + block.otherHeads.count
        if let decoder, sampleRate == block.sampleRate, decoder.heads == heads { return decoder }
        sampleRate = block.sampleRate
        return HeadsDecoder(
            sampleRate: block.sampleRate, heads: heads, options: StripeOptions(formats: formats))
    }

    private static func signal(_ event: StripeEvent) -> ReaderSignal {
        switch event {
        case .activity: .swipeStarted
        case .swipe(let swipe): .swiped(Swipe(swipe))
        }
    }
}

extension PassiveHeadDriver {
    package init(_ device: DeviceIdentity, options: ReaderOptions) {
        self.init(device)
        guard !options.cardFormats.isEmpty, let file = try? FormatFile(options.cardFormats) else { return }
        formats += file.formats
    }

    /// What is wrong with card formats, as `line 3: …`; nil where they can be used.
    package static func fault(inCardFormats text: String) -> String? {
        do {
            _ = try FormatFile(text)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension Swipe {
    /// What the decoder read, as a swipe of a reader.
    package init(_ swipe: StripeSwipe) {
        self.init(
            tracks: swipe.tracks, card: Card.recognise(swipe.tracks), quality: swipe.quality)
    }
}
