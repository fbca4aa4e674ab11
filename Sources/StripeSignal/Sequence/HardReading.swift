import CardData

/// Reads what the interval clock could not: finds clocking zeros, starts the sequence detector in them, and refines
/// the pulse's shape from what it read, forward and backward in time.
struct HardReading: Sendable {
    /// A reading of the whole swipe by the sequence detector.
    struct Result: Sendable {
        /// Of which form, in the order in which they were added.
        var form: Int
        var track: FoundTrack
        var run: IntervalClock.Run
        /// The detector ran from the end of the swipe to its beginning; the run is in that order.
        var isTimeReversed: Bool
    }

    /// One form of the swipe in one direction of time.
    private struct Side {
        var form: Int
        var isReversed: Bool
        var signal: [Float]
        var leadIn: LeadIn
        var pulses: [Double]
        var surroundings: FrameSurroundings
        var samplers: [Plan: CellSampler] = [:]
        var arms: [Plan: Arm] = [:]
    }

    /// What was done about a form so far.
    private struct Effort {
        var passes = 0
        /// The least that any pass left unexplained.
        var leastResidual = Float.infinity
    }

    /// A way to read: how the level is taken out, and how the clock follows.
    private struct Plan: Hashable {
        var loop = SequenceDetector.Loop.middle
        var levelling = CellSampler.Levelling.power
        /// Whether faint stretches are taken for a lifted head's, with wider pulses.
        var widens = false
    }

    /// What a plan has come to in one direction.
    private struct Arm {
        var plan: Plan
        var start: LeadIn.Start
        var noise = SequenceDetector.firstNoise
        var passes = 0
        var wasAmbiguous = false
        var isHopeless = false
    }

    private var search: FrameSearch
    private var seamed: SeamedTexts
    private var sides: [Side] = []
    private var efforts: [Effort] = []
    private var detector = SequenceDetector()
    private var work = 0
    /// Whether any pass has read what might be characters.
    private var hasTraces = false
    /// Texts that were not sure enough, whose clocks were not looked at.
    private var unsure: [(track: FoundTrack, doubts: RecordDoubts)] = []
    /// Repaired texts, one for each arm that found one.
    private var repaired: [Result] = []

    /// The plans in the order of promise, each for some passes in both directions.
    private static let schedule: [(plan: Plan, passes: Int)] = [
        (Plan(), 2), (Plan(levelling: .peaks), 1), (Plan(loop: .loose), 2), (Plan(widens: true), 2),
        (Plan(levelling: .peaks), 1), (Plan(loop: .loose, levelling: .peaks), 2), (Plan(), 1),
        (Plan(widens: true), 1), (Plan(levelling: .steady), 2), (Plan(levelling: .peaks), 1),
    ]
    /// Of the swipe: clocking zeros that end later are no lead-in.
    private static let latestStart = 0.7
    /// In samples: a hand that begins so fast makes no record that may be accepted.
    private static let leastCell = 0.8 * RecordDoubts.leastSamples
    /// Branches compared over all attempts, and what else costs time, counted as branches.
    private static let mostWork = 960_000
    /// ... and while nothing that was read looks like characters.
    private static let workWithoutTraces = 300_000
    /// What a reading may leave unexplained after each pass, as a part of the power: noise leaves more.
    private static let mostResidual: [Float] = [1.3, 0.85, 0.75, 1]
    private static let leastNoise: Float = 0.003
    /// After so many passes of which none explains more than a part of the swipe, it is no stripe: those that were
    /// read later had left a third at most by then.
    private static let enoughPasses = 10
    private static let hopelessResidual: Float = 0.4

    init(search: FrameSearch, seamed: SeamedTexts) {
        self.search = search
        self.seamed = seamed
    }

    /// Takes a form of the swipe to be read: the likelier one first, and one more at most.
    ///
    /// - Parameter noise: power of the noise round the swipe.
    mutating func add(samples: [Float], runs: [IntervalClock.Run], pulses: [Double], noise: Float) {
        let form = efforts.count
        efforts.append(Effort())
        let last = Double(samples.count - 1)
        for isReversed in [false, true] {
            let ordered = isReversed ? runs.reversed().map { Self.reversed($0, samples.count) } : runs
            let signal = isReversed ? samples.reversed() : samples
            let times = isReversed ? pulses.reversed().map { last - $0 } : pulses
            // Zeros near the end are those after the record.
            guard let leadIn = LeadIn(ordered, times, in: signal),
                leadIn.edges.last ?? 0 < Self.latestStart * last, leadIn.cell > Self.leastCell
            else { continue }
            sides.append(
                Side(
                    form: form, isReversed: isReversed, signal: signal, leadIn: leadIn, pulses: times,
                    surroundings: FrameSurroundings(signal: signal, noise: noise)))
        }
    }

    /// The first reading without a repair, else a repaired one on which all agree.
    mutating func read() -> Result? {
        for form in efforts.indices {
            // Another form is worth its price only where characters were seen.
            guard form == 0 || hasTraces else { break }
            for (plan, passes) in Self.schedule {
                for side in sides.indices where sides[side].form == form {
                    for _ in 0..<passes where work < Self.mostWork && !isHopeless(form) {
                        if let found = pass(plan, side) { return found }
                    }
                }
                if let agreed { return agreed }
            }
        }
        return nil
    }

    private func isHopeless(_ form: Int) -> Bool {
        (efforts[form].passes >= Self.enoughPasses && efforts[form].leastResidual > Self.hopelessResidual)
            || (work >= Self.workWithoutTraces && !hasTraces)
    }

    /// The repaired text, if two readings have it and none another.
    private var agreed: Result? {
        guard let first = repaired.first, repaired.count > 1,
            repaired.allSatisfy({ $0.track.text == first.track.text })
        else { return nil }
        return first
    }

    /// One pass of one plan over the whole swipe.
    ///
    /// - Returns: a reading without a repair.
    private mutating func pass(_ plan: Plan, _ side: Int) -> Result? {
        guard var arm = sides[side].arms[plan] ?? begin(plan, side), !arm.isHopeless else { return nil }
        defer { sides[side].arms[plan] = arm }
        let sampler = sampler(arm.plan, side)
        detector.loop = arm.plan.loop
        detector.noise = arm.noise
        let path = detector.detect(sampler, from: arm.start.anchor, model: arm.start.model)
        work += path.work
        arm.passes += 1
        let form = sides[side].form
        efforts[form].passes += 1
        efforts[form].leastResidual = min(efforts[form].leastResidual, path.residual)
        guard path.bits.count > SwipeReader.shortestRun else {
            arm.isHopeless = true
            return nil
        }
        let run = path.run
        if !hasTraces { hasTraces = CharacterTraces(formats: search.formats).areIn(run.bits) }
        let soft = SoftBits(
            bits: run.bits, reliability: Array(path.reliability.prefix(run.bits.count)),
            isShared: true)
        var doubts = RecordDoubts(
            run: run, surroundings: sides[side].surroundings, pulses: sides[side].pulses,
            turnedAt: sides[side].isReversed ? Double(sides[side].signal.count - 1) : nil)
        let verdict = unbroken(search.search(soft, repairs: true) { doubts.piece($0) }, &doubts)
        if case .found(let track) = verdict {
            let result = Result(
                form: form, track: track, run: run, isTimeReversed: sides[side].isReversed)
            if track.repairedBits == 0 { return result }
            repaired.append(result)
        }
        refine(&arm, path, sampler, verdict)
        return nil
    }

    /// The verdict once the clock was looked at. That is dear, and so it is looked at where a text would be accepted: then
    /// in the readings of the same text that were not sure enough, too.
    private mutating func unbroken(
        _ verdict: FrameSearch.Verdict, _ doubts: inout RecordDoubts
    ) -> FrameSearch.Verdict {
        switch verdict {
        case .refused: break
        case .unsure(let track, _): unsure.append((track, doubts))
        case .found(let track):
            for index in unsure.indices where unsure[index].track.text == track.text {
                _ = unsure[index].doubts.seam(unsure[index].track, &seamed)
            }
            unsure.removeAll { $0.track.text == track.text }
            if let seam = doubts.seam(track, &seamed) { return .refused(seam, isReversed: track.isReversed) }
        }
        return verdict
    }

    private mutating func refine(
        _ arm: inout Arm, _ path: SequenceDetector.Path, _ sampler: CellSampler,
        _ verdict: FrameSearch.Verdict
    ) {
        let most = Self.mostResidual[min(arm.passes, Self.mostResidual.count) - 1]
        guard path.residual <= most,
            let refined = PulseFit.refined(path, sampler, arm.start.model, arm.noise)
        else {
            arm.isHopeless = true
            return
        }
        arm.noise = max(refined.noise, Self.leastNoise)
        // Where the text is there and only its margin is not, the noise is less than was thought.
        if verdict.isAmbiguous, !arm.wasAmbiguous, arm.passes > 2 {
            arm.wasAmbiguous = true
        } else {
            arm.start.model = refined.model
        }
    }

    private mutating func sampler(_ plan: Plan, _ side: Int) -> CellSampler {
        var key = plan
        key.loop = .middle
        if let sampler = sides[side].samplers[key] { return sampler }
        let cell = sides[side].leadIn.cell
        var sampler: CellSampler
        if plan.widens {
            // The same samples; only the lifts are to be found.
            var plain = plan
            plain.widens = false
            sampler = self.sampler(plain, side)
            sampler.findLifts(sides[side].signal, cell: cell)
        } else {
            sampler = CellSampler(sides[side].signal, cell: cell, levelling: plan.levelling)
        }
        sides[side].samplers[key] = sampler
        return sampler
    }

    private mutating func begin(_ plan: Plan, _ side: Int) -> Arm? {
        var plan = plan
        guard let shape = probed(plan, side) else { return nil }
        if LeadIn.dullShapes.contains(shape), plan.levelling == .power { plan.levelling = .steady }
        let start = sides[side].leadIn.start(shape: shape, sampler(plan, side))
        return Arm(plan: plan, start: start)
    }

    /// Cells over which the shapes are compared.
    private static let probeCells = 110

    /// The shape that explains most of the beginning: among clocking zeros nothing shows what ones look like.
    private mutating func probed(_ plan: Plan, _ side: Int) -> Int? {
        let sampler = sampler(plan, side)
        var best: (cost: Float, shape: Int)?
        detector.loop = plan.loop
        detector.noise = SequenceDetector.firstNoise
        for shape in 0..<LeadIn.shapes {
            let start = sides[side].leadIn.start(shape: shape, sampler)
            let probe = detector.probe(
                sampler, from: start.anchor, model: start.model, cells: Self.probeCells,
                below: best?.cost ?? .infinity)
            work += probe.work
            guard let cost = probe.costPerCell, cost < best?.cost ?? .infinity else { continue }
            best = (cost, shape)
        }
        return best?.shape
    }

    private static func reversed(_ run: IntervalClock.Run, _ count: Int) -> IntervalClock.Run {
        var turned = run
        let last = Double(count - 1)
        turned.edges = run.edges.reversed().map { last - $0 }
        turned.bits.reverse()
        return turned
    }
}
