import CardData
import HIDReaders
package import ReaderKit

/// A reader that types what it reads, as a keyboard does: its keys to a text in its own layout, and the text to swipes.
///
///     [text] TRACKS [text] [Enter]        clear tracks, one line or a line each; or a stream of fields; or a typed packet
///
/// A swipe ends at once where nothing can follow any more: behind a right check sum, or behind the Enter of a reader that puts one
/// behind whole swipes. Otherwise it ends with a silence that follows the reader's own pace (``KeyPace``). Keys that were lost
/// refuse the swipe; what is no swipe is told with the number of its keys.
/// Sources: MagTek 99875206 and 99875475; ID TECH 80096504; public scripts for clones (`docs/keyboards.md`).
package struct KeyboardReader: ReaderDriver {
    package typealias Input = KeyInput

    package static let descriptor = DriverDescriptor(
        name: "keyboard", kind: "keyboard",
        matches: [
            DeviceMatch(
                bus: .other, model: "Reader that types like a keyboard",
                support: .shouldWork(
                    why: "published texts go through it as keys in the tests; no recording of keys"))
        ])

    /// What comes so soon behind a swipe that broke off is the rest of it.
    static let restOfBroken = Duration.seconds(1)

    private var keys = KeyState()
    private var burst = KeyBurst()
    private var interpreter: KeyInterpreter
    private var end = SwipeEnd()
    private var details: ReaderDetails
    /// Of the last swipe, for the next one's first keys.
    private var patience = KeyPace.firstPatience
    /// When a swipe broke off, or when what came before went elsewhere.
    private var brokeOff: Duration?
    /// When something was heard, were it a loss.
    private var lastHeard: Duration?

    package init(_ device: DeviceIdentity) { self.init(device, options: ReaderOptions()) }

    package init(_ device: DeviceIdentity, options: ReaderOptions) {
        let model =
            KnownKeyboards.find(device)?.model ?? Self.descriptor.matches.first?.model ?? Self.descriptor.name
        details = ReaderDetails(model: model, serial: device.serial, encryption: .clear)
        interpreter = KeyInterpreter(options.keyboard)
    }

    /// The name of the layout in which it is understood now.
    package var layout: String { interpreter.layout.name }

    package mutating func start() -> [DriverAction] {
        [.signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil))]
    }

    package mutating func receive(_ input: KeyInput) -> [DriverAction] {
        let heard = keys.receive(input.content)
        lastHeard = input.time
        if case .opened = input.content {
            brokeOff = input.time
            return []
        }
        if burst.isEmpty, let last = brokeOff, !heard.presses.isEmpty {
            burst.isRest = input.time - last < Self.restOfBroken
            if !burst.isRest { brokeOff = nil }
        }
        burst.add(heard, at: input.time)
        if heard.isBroken || heard.isStray && !burst.isEmpty { burst.isBroken = true }
        guard !burst.isEmpty else { return [] }
        if burst.endsWithEnter, !heard.presses.isEmpty, let actions = endAtEnter() { return actions }
        return [.startTimer(burst.pace.patience ?? max(patience, KeyPace.firstPatience))]
    }

    package mutating func inputsLost() -> [DriverAction] {
        _ = keys.receive(.lost)
        burst.isBroken = true
        return [.startTimer(KeyPace.firstPatience)]
    }

    package mutating func inputsEnded() -> [DriverAction] {
        // What has no end may be half of a swipe.
        if !burst.endsWithEnter || mayGoOn() { burst.isBroken = true }
        return burst.count == 0 ? [] : endWithSilence()
    }

    package mutating func timerFired() -> [DriverAction] {
        guard !burst.isEmpty else { return [] }
        if !burst.isExtended, !burst.isBroken, mayGoOn() {
            burst.isExtended = true
            return [.startTimer(Self.restOfBroken)]
        }
        return endWithSilence()
    }

    /// Whether it is a first track alone, of a reader of which nothing says that no track follows later.
    private mutating func mayGoOn() -> Bool {
        let findings = interpreter.findings(in: burst)
        guard findings.count == 1, case .swipe(let found)? = findings.first, !found.isChecked else {
            return false
        }
        return end.mayGoOn(lines: burst.lines, isFirstTrackAlone: found.swipe.isFirstTrackAlone)
    }

    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }

    /// Nil where more may come.
    private mutating func endAtEnter() -> [DriverAction]? {
        guard !burst.isBroken, !burst.isRest, !burst.isTooLong else { return nil }
        let findings = interpreter.findings(in: burst)
        guard findings.count == 1, case .swipe(let found)? = findings.first,
            end.isOver(lines: burst.lines, tracks: found.swipe.sentTracks, isChecked: found.isChecked)
        else { return nil }
        end.learn(lines: burst.lines, tracks: found.swipe.sentTracks, endsWithEnter: true)
        return finish(findings) + [.stopTimer]
    }

    private mutating func endWithSilence() -> [DriverAction] {
        let findings = interpreter.findings(in: burst)
        if findings.count == 1, case .swipe(let found)? = findings.first {
            end.learn(
                lines: burst.lines, tracks: found.swipe.sentTracks, endsWithEnter: burst.endsWithEnter)
        }
        return finish(findings)
    }

    private mutating func finish(_ findings: [KeyInterpreter.Finding]) -> [DriverAction] {
        if findings.contains(where: \.isSwipe) { patience = burst.pace.patience ?? patience }
        // A rest that is a whole swipe by itself does not make the next one a rest too: the second counts from where it broke off.
        if !burst.isRest || !interpreter.isWhole(burst) {
            let isBroken = burst.isBroken || burst.isRest || findings.contains(where: \.isRefused)
            brokeOff = isBroken ? lastHeard : nil
        }
        burst = KeyBurst()
        return findings.flatMap { tell($0) }
    }

    private mutating func tell(_ finding: KeyInterpreter.Finding) -> [DriverAction] {
        switch finding {
        case .noSwipe(let keys): [.signal(.malformed("\(keys) keys that are no swipe"))]
        // Somebody swiped, and waits for what comes of it.
        case .refused(let why):
            [
                .signal(.malformed(why)),
                .signal(.swiped(Swipe(tracks: [], quality: SwipeQuality(hint: .partial)))),
            ]
        case .swipe(let found): learned(found) + [.signal(.swiped(found.swipe))]
        }
    }

    private mutating func learned(_ found: ReaderText.Found) -> [DriverAction] {
        let told = details
        if let serial = found.serial { details.serial = serial }
        if found.swipe.encryption != nil { details.encryption = .encrypted }
        return details == told ? [] : [.signal(.identified(details))]
    }
}

extension Swipe {
    fileprivate var isFirstTrackAlone: Bool {
        sentTracks == 1
            && tracks.contains { reading in
                if case .empty = reading.outcome { false } else { reading.track == 1 }
            }
    }

    /// How many tracks the reader typed something of.
    fileprivate var sentTracks: Int {
        tracks.count { reading in
            if case .empty = reading.outcome { false } else { true }
        }
    }
}
