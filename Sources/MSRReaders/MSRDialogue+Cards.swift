import CardData
import ReaderKit

/// The read that is pending, and what cards bring.
extension MSRDialogue {
    mutating func read(_ light: MSRCommand? = nil, after block: MSRBlock? = nil) -> [Action] {
        let lit = lights == .none ? nil : light
        state = .settling(MSRState.Settling(hasLight: lit != nil, before: block))
        return (lit.map { [.send($0)] } ?? []) + [.send(reading == .raw ? .readRaw : .readISO)] + keepTime()
    }

    /// The read has ended, or may have: it is asked for again once nothing more comes.
    mutating func end(_ end: MSRState.End) -> [Action] {
        var settling = MSRState.Settling()
        if case .settling(let before) = state { settling = before }
        settling.end = end
        state = .settling(settling)
        return []
    }

    /// Nothing came for a while since the read was asked for: it stands, or what came before has ended it.
    mutating func settled(_ settling: MSRState.Settling) -> [Action] {
        switch settling.end {
        case nil:
            hasty = 0
            return confirmed() + keepTime()
        case .lost: return [.send(.reset)] + read()
        case .status(let status):
            refusals += 1
            guard refusals < Self.mostRefusals else { return fallSilent(whyNoRead(status), .failed) }
            // It may have been the light that was refused; without one, that shows. One that has taken lights is asked again.
            if settling.hasLight, status != .fine, lights != .taken { lights = .doubtful }
            return [.send(.reset)] + read()
        }
    }

    private func whyNoRead(_ status: MSRStatus) -> String {
        status == .commandError
            ? "\(name) refuses to read; try the other way of reading (raw, iso)"
            : "\(name) ends every read at once (\(status.sentence)); take its power away for a moment"
    }

    /// The read stands.
    private mutating func confirmed() -> [Action] {
        guard case .settling(let settling) = state else { return [] }
        state = .reading
        var actions = isActive ? [] : activated()
        if settling.hasLight { lights = .taken }
        if lights == .doubtful, !settling.hasLight {
            lights = .none
            actions.append(.signal(.malformed("\(name) refuses its lights; they stay dark")))
        }
        return actions
    }

    private mutating func activated() -> [Action] {
        (isActive, complaints) = (true, [])
        var actions: [Action] = [.signal(.activated(.success)), .signal(.ready(expiresIn: nil))]
        if reading == .raw, facts[.bits] != .bits([8, 8, 8]) {
            let what = "\(name) did not say that it gives eight bits a byte; raw tracks may be cut"
            actions.append(.signal(.malformed(what)))
        }
        return actions
    }

    /// How long the silence may last: as long as a block pauses, until the read stands, or until the next look.
    mutating func keepTime() -> [Action] {
        switch state {
        case .settling(var settling):
            let isTimed = settling.isTimed
            settling.isTimed = stream.isEmpty
            state = .settling(settling)
            if !stream.isEmpty { return [.startTimer(Self.pause)] }
            return isTimed ? [] : [.startTimer(Self.settling)]
        case .reading: return [.startTimer(stream.isEmpty ? Self.lookInterval : Self.pause)]
        case .overhearing: return [stream.isEmpty ? .stopTimer : .startTimer(Self.pause)]
        case .idle, .waking, .asking, .mute: return []
        }
    }

    mutating func takeEvents(isOver: Bool = false) -> [Action] {
        var actions: [Action] = []
        var broken = 0
        while let event = stream.next(isOver: isOver) {
            if case .broken(let count) = event {
                broken += count
                continue
            }
            actions += brokenOff(&broken) + take(event, isOver)
        }
        return actions + brokenOff(&broken)
    }

    /// One complaint of answers that break off one after the other.
    private mutating func brokenOff(_ count: inout Int) -> [Action] {
        guard count > 0 else { return [] }
        defer { count = 0 }
        return broken(count)
    }

    private mutating func take(_ event: MSRStream.Event, _ isOver: Bool) -> [Action] {
        switch event {
        case .present: present()
        case .block(let block): swiped(block)
        case .status(let status): ended(status)
        // What stopped may have been the beginning of an answer, and the read is over with it.
        case .garbage(let count): isOver ? broken(count) : garbage(count)
        case .broken(let count): broken(count)
        }
    }

    private mutating func present() -> [Action] {
        guard case .waking = state else { return [] }
        let result = tested(true)
        // A line that was only looked at goes on where it was; its power may have gone and come, and the bits with it.
        if isActive { return result + ask(.bits) }
        return result + [.send(.reset)] + ask(.model)
    }

    /// A card that passed while the line was looked at counts as well.
    private mutating func swiped(_ block: MSRBlock) -> [Action] {
        guard case .settling(let settling) = state else { return told(block) }
        if block.holdsNothing, let status = block.status, status != .fine { return end(.status(status)) }
        hasty += 1
        guard hasty < Self.mostHasty else { return fallSilent(whyHasty, .failed) }
        guard block != settling.before else {
            return end(.lost) + [
                .signal(.malformed("the last answer a second time, at once; it is told once"))
            ]
        }
        let actions = confirmed()
        return actions + told(block)
    }

    private var whyHasty: String {
        "\(name) has answered \(Self.mostHasty) reads in a row faster than cards pass; take its power away for a moment"
    }

    private mutating func told(_ block: MSRBlock) -> [Action] {
        guard isActive else { return [] }
        if block.holdsNothing, block.status != .fine {
            failures += 1
            guard failures < Self.mostFailures || isOverhearing else {
                return fallSilent(whyNoCard(block.status ?? .failed), .failed)
            }
        } else {
            (refusals, failures) = (0, 0)
        }
        let (swipe, variants) = blocks.swipe(of: block, known: toldVariants)
        var actions: [Action] = [.signal(.swiped(swipe))]
        if block.status == nil {
            actions.append(.signal(.malformed("status \(block.statusByte), which no document names")))
        }
        toldVariants.formUnion(variants)
        return actions + again(isGood: swipe.tracks.contains { $0.text != nil }, after: block)
    }

    /// The light of this card, and the read for the next one.
    private mutating func again(isGood: Bool, after block: MSRBlock? = nil) -> [Action] {
        guard case .reading = state else { return [] }
        return read(isGood ? .green : .red, after: block)
    }

    /// A status by itself.
    private mutating func ended(_ status: MSRStatus) -> [Action] {
        switch (state, status) {
        case (.settling, _), (.reading, .fine), (.reading, .commandError): return end(.status(status))
        case (.reading, .readError), (.reading, .formatError), (.reading, .movedWrongly), (.reading, .failed):
            return failed(status)
        case (.overhearing, .readError), (.overhearing, .formatError), (.overhearing, .movedWrongly),
            (.overhearing, .failed):
            return [.signal(.swiped(MSRBlockReading.unread(status)))]
        // One that was asked for nothing has refused nothing; one that is asked something else answers that.
        case (.overhearing, .fine), (.overhearing, .commandError), (.idle, _), (.waking, _), (.asking, _),
            (.mute, _):
            return []
        }
    }

    /// A card passed, and nothing is given of it. A device may fail without any card: it is not believed for ever.
    private mutating func failed(_ status: MSRStatus) -> [Action] {
        failures += 1
        guard failures < Self.mostFailures else {
            return fallSilent(whyNoCard(status), .failed)
        }
        return [.signal(.swiped(MSRBlockReading.unread(status)))] + again(isGood: false)
    }

    private func whyNoCard(_ status: MSRStatus) -> String {
        "\(name) has failed \(Self.mostFailures) reads in a row (\(status.sentence)), and given no card"
    }

    private mutating func garbage(_ count: Int) -> [Action] {
        if case .waking(var waking) = state {
            waking.hasGarbage = true
            state = .waking(waking)
            return []
        }
        guard isActive else { return [] }
        return [.signal(.malformed("\(count) bytes that are no answer of an encoder; is the type right?"))]
    }

    private var whyBroken: String {
        "\(name) has given \(Self.mostFailures) answers in a row that break off or are none; is it the right type and speed?"
    }

    private mutating func broken(_ count: Int) -> [Action] {
        guard isActive else { return [] }
        let complaint = Action.signal(.malformed("answer of \(count) bytes that breaks off, or is none"))
        switch state {
        case .settling, .reading:
            failures += 1
            guard failures < Self.mostFailures else { return [complaint] + fallSilent(whyBroken, .failed) }
            return [complaint, .send(.reset)] + read(.red)
        case .idle, .waking, .asking, .overhearing, .mute: return [complaint]
        }
    }
}
