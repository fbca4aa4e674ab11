import CardData

/// A swipe, and what it was read from.
struct ReadSwipe: Sendable {
    var swipe: StripeSwipe
    var reading: SwipeReading
    /// As they came, from the swipe's first on.
    var samples: [Float]
}

/// Reads one swipe out of its samples, once it has ended: first by the intervals between pulses, which costs a
/// millisecond, then, where that is refused, by sequence detection.
struct SwipeReader: Sendable {
    let sampleRate: Int
    let options: StripeOptions
    /// Readings of the same swipe that were looked at before by another one.
    var earlierAttempts = 0
    /// Power of the noise that there is at least, where the samples no longer show their converter's.
    var leastNoise: Float = 0

    /// Fewer cells than this are no record.
    static let shortestRun = 24

    /// By how much more the intervals must agree before a signal that was made, not heard, is searched in its stead.
    private static let clearlyBetter = 1.1

    /// Nil where nothing looks like a card.
    ///
    /// - Parameter maySearch: whether sequence detection may follow where the intervals were refused.
    func read(_ samples: [Float], firstSample: UInt64, maySearch: Bool = true) -> ReadSwipe? {
        let (span, noise) = ActiveSpan(sampleRate: sampleRate, leastNoise: leastNoise).find(in: samples)
        let firstSample = firstSample + UInt64(span.lowerBound)
        var found = read(
            span: Array(samples[span]), whole: samples, span, noise: noise, firstSample, maySearch)
        found?.swipe.quality.clippedPercent = Clipping.percent(of: Array(samples[span]))
        return found
    }

    private func read(
        span samples: [Float], whole: [Float], _ span: Range<Int>, noise: Float, _ firstSample: UInt64,
        _ maySearch: Bool
    ) -> ReadSwipe? {
        var seamed = SeamedTexts()
        let wide = withoutBaseline(samples)
        var reading = readIntervals(wide, noise: noise, &seamed)
        if reading.track == nil, options.searchesHard {
            var source = whole
            let attempt = smoothings.count + Self.clocks.count + 2
            var isSettled = false
            if reading.looksLikeStripe {
                switch readStopped(wide, noise: noise, attempt: attempt + 4) {
                case .nothing: break
                case .rivals:
                    reading.refusal = .ambiguous(.rival, atBit: 0)
                    isSettled = true
                case .read(let stopped): reading = stopped
                }
            }
            if reading.track == nil, !isSettled { readSlimmed(&reading, attempt: attempt, &seamed) }
            // Hum that is louder than the pulses hides them: what can be taken out is, and the same is tried again.
            if reading.track == nil, !isSettled, let clean = HumRemoval(sampleRate: sampleRate).cleaned(whole)
            {
                source = clean
                let second = readIntervals(withoutBaseline(Array(clean[span])), noise: noise, &seamed)
                if second.track != nil
                    || (second.worthOfRecords, second.score) > (reading.worthOfRecords, reading.score)
                {
                    reading = second
                }
            }
            var other: SwipeReading?
            if reading.track == nil, !isSettled {
                if let flat = readEqualized(reading, noise: noise, attempt: attempt + 2, &seamed) {
                    reading = flat
                } else {
                    other = readUncoupled(&reading, source, span, noise: noise, &seamed)
                }
            }
            // A text refused for a seam stays refused, and what the search finds where one was found is that text.
            if reading.track == nil, !isSettled, maySearch, seamed.texts.isEmpty,
                reading.mayHoldRecord || other?.mayHoldRecord == true,
                !Silence(signal: wide, noise: noise).parts(reading.runs, cell: reading.medianCell ?? 0)
            {
                readSequence(&reading, other, seamed)
            }
        }
        refuseSeam(&reading, in: samples, wide)
        reading.isSeamed = !seamed.texts.isEmpty
        let rating = ReadingQuality(
            sampleRate: sampleRate, signalPower: power(wide), noisePower: noise)
        if options.keepsTrace { (reading.heard, reading.heardNoise) = (wide, noise) }
        return reading.swipe(firstSample: firstSample, count: samples.count, rating, options).map {
            ReadSwipe(swipe: $0, reading: reading, samples: samples)
        }
    }

    /// A text whose clock runs through may have a seam in its waveform still.
    ///
    /// - Parameter wide: the samples without their baseline.
    func refuseSeam(_ reading: inout SwipeReading, in samples: [Float], _ wide: [Float]) {
        guard let track = reading.track, reading.runs.indices.contains(reading.trackRun) else { return }
        let run = reading.runs[reading.trackRun]
        let place = track.place(among: run.bits.count)
        guard let seam = waveformSeam(in: samples, wide, run, place) else { return }
        let edge = run.edges[place].firstIndex { $0 >= Double(seam) } ?? place.upperBound
        reading.refusal = .ambiguous(.seam, atBit: track.isReversed ? run.bits.count - edge : edge)
        reading.refusedAt = Double(seam)
        reading.track = nil
    }

    /// Where the waveform has a seam.
    ///
    /// - Parameters:
    ///   - wide: the samples without their baseline.
    ///   - place: the bits of the run that are looked at.
    func waveformSeam(
        in samples: [Float], _ wide: [Float], _ run: IntervalClock.Run, _ place: Range<Int>
    ) -> Int? {
        guard run.edges.count > 2, place.lowerBound >= 0, place.upperBound < run.edges.count,
            run.edges[place.lowerBound] < run.edges[place.upperBound]
        else { return nil }
        let cells = (1..<run.edges.count).map { run.edges[$0] - run.edges[$0 - 1] }.sorted()
        let record = Int(run.edges[place.lowerBound])..<Int(run.edges[place.upperBound])
        guard let seam = SampleContinuity(samples, cell: cells[cells.count / 2]).seam(in: record) else {
            return nil
        }
        let shapes = CellShapes(wide, sampleRate: sampleRate, run, in: place)
        guard shapes.goesOn(behind: seam) else { return nil }
        return Discharge(at: seam, in: shapes)?.isThere == true ? nil : seam
    }

    /// Reads the swipe as it was before a capacitor took the pulses' feet away.
    ///
    /// - Returns: the less likely of the two readings.
    private func readUncoupled(
        _ reading: inout SwipeReading, _ whole: [Float], _ span: Range<Int>, noise: Float,
        _ seamed: inout SeamedTexts
    ) -> SwipeReading? {
        guard reading.looksLikeStripe else { return nil }
        let restored = CouplingRemoval(sampleRate: sampleRate).restored(whole)
        var other = readIntervals(withoutBaseline(Array(restored[span])), noise: noise, &seamed)
        let isLikelier = other.looksLikeStripe && other.score > reading.score * Self.clearlyBetter
        if other.track != nil || isLikelier { swap(&reading, &other) }
        return other
    }

    /// Reads by sequence detection, from either form of the swipe.
    private func readSequence(
        _ reading: inout SwipeReading, _ other: SwipeReading?, _ seamed: SeamedTexts
    ) {
        guard reading.looksLikeStripe else { return }
        var forms = [reading]
        if let other, other.looksLikeStripe { forms.append(other) }
        var hard = HardReading(
            search: FrameSearch(
                formats: options.formats, searchedBits: 3 + Double(earlierAttempts) / 2),
            seamed: seamed)
        for form in forms {
            hard.add(
                samples: form.signal, runs: form.runs, pulses: form.pulses.map(\.position), noise: form.noise)
        }
        guard let result = hard.read() else { return }
        reading = forms[result.form]
        reading.track = result.track
        reading.track?.isReversed = result.track.isReversed != result.isTimeReversed
        reading.trackRun = 0
        reading.runs = [run(result.run, isTimeReversed: result.isTimeReversed, count: reading.signal.count)]
    }

    /// The first band is the one that most swipes read in; each later one costs another pass.
    private static let smoothings = [3, 1, 6, 12]

    /// The bands in samples. Where a sound card takes several samples for one of 44.1 kHz, cells that would be too short to be
    /// read there are not, and want a narrower one.
    private var smoothings: [Int] {
        let scale = max(1, sampleRate / 44_100)
        return Self.smoothings.map { $0 * scale } + (scale > 1 ? [scale / 2] : [])
    }

    /// Clocks for swipes that the usual one loses: one that follows what it sees, and one that distrusts it.
    private static let clocks = [
        IntervalClock(cellDeviation: 0.2, middleDeviation: 0.13, follow: 0.8),
        IntervalClock(cellDeviation: 0.15, middleDeviation: 0.12, follow: 0.2),
    ]

    /// For swipes in which cells change by a third from one to the next.
    private static let jerkyClock = IntervalClock(
        cellDeviation: 0.12, middleDeviation: 0.085, follow: 0.8, jerk: 0.5)

    /// What is slower than a card's slowest cells is taken out.
    func withoutBaseline(_ samples: [Float]) -> [Float] {
        Band(smoothing: 1, baseline: sampleRate / 150).filtered(samples)
    }

    /// - Parameter wide: the samples without their baseline.
    private func readIntervals(_ wide: [Float], noise: Float, _ seamed: inout SeamedTexts) -> SwipeReading {
        var best = SwipeReading()
        for (attempt, width) in smoothings.enumerated() {
            let band = Band(smoothing: width, baseline: -1)
            let signal = band.filtered(wide)
            let pulses = PulseFinder(turn: 0.3, reach: sampleRate / 200).pulses(in: signal)
            let clock = IntervalClock()
            let found = clock.runs(pulses)
            var reading = SwipeReading()
            reading.score = found.score
            reading.runs = found.runs
            reading.pulses = pulses
            reading.signal = wide
            reading.noise = noise
            reading.smoothed = signal
            reading.smoothedNoise = noise * band.noisePower
            readTracks(&reading, clock, in: signal, noise: noise, attempt: attempt, &seamed)
            if reading.track != nil { return reading }
            if reading.score > best.score { best = reading }
        }
        for (attempt, clock) in ([Self.jerkyClock] + Self.clocks).enumerated() {
            var reading = best
            guard attempt == 0 || best.looksLikeStripe else { return best }
            (reading.runs, reading.score) = clock.runs(best.pulses)
            readTracks(
                &reading, clock, in: best.smoothed, noise: noise, attempt: smoothings.count + attempt,
                &seamed)
            if reading.track != nil { return reading }
            if attempt == 0, reading.score > best.score { best = reading }
        }
        if best.looksLikeStripe, best.mayHoldRecord {
            let attempt = smoothings.count + Self.clocks.count + 1
            if let spaced = readSpaced(best, attempt: attempt, &seamed) { return spaced }
            var reading = best
            let pulses = HeardSpeed.believed(best.pulses)
            reading.runs = HeardSpeed(pulses).ways.runs(pulses, by: IntervalClock())
            readTracks(
                &reading, IntervalClock(), in: best.smoothed, noise: noise, attempt: attempt + 1, &seamed)
            if reading.track != nil { return reading }
        }
        let lifted = readLifted(best, noise: noise, &seamed)
        return lifted.track != nil || lifted.score > best.score ? lifted : best
    }

    /// Cells over which a lifted head's level is measured, to each side.
    private static let liftedReach = 1.5

    /// Looks for pulses again, with a level that follows a lifted head.
    private func readLifted(_ best: SwipeReading, noise: Float, _ seamed: inout SeamedTexts) -> SwipeReading {
        var reading = best
        guard let cell = best.medianCell, cell > 4 else { return best }
        let finder = PulseFinder(turn: 0.3, reach: Int(cell * Self.liftedReach), takesFainterSide: true)
        reading.pulses = finder.pulses(in: best.smoothed)
        for (attempt, clock) in [IntervalClock(), Self.jerkyClock].enumerated() {
            (reading.runs, reading.score) = clock.runs(reading.pulses)
            readTracks(
                &reading, clock, in: best.smoothed, noise: noise,
                attempt: smoothings.count + Self.clocks.count + 2 + attempt, &seamed)
            if reading.track != nil { return reading }
        }
        return reading
    }

    /// - Parameters:
    ///   - clock: by which the runs were read.
    ///   - signal: the one in which the pulses were found.
    ///   - seamed: texts that no reading of this swipe may give any more.
    func readTracks(
        _ reading: inout SwipeReading, _ clock: IntervalClock, in signal: [Float], noise: Float, attempt: Int,
        _ seamed: inout SeamedTexts
    ) {
        let surroundings = FrameSurroundings(signal: reading.signal, noise: noise)
        let search = FrameSearch(
            formats: options.formats, searchedBits: Double(attempt + earlierAttempts) / 2)
        let missed = MissedPulses(signal: signal, noise: reading.smoothedNoise, rings: reading.isEqualized)
        let putBack = reading.putBack
        var weighed: [IntervalClock.Run]?
        for (index, run) in reading.runs.enumerated() where run.bits.count >= Self.shortestRun {
            var doubts = RecordDoubts(
                run: run, surroundings: surroundings, join: reading.join, found: reading.pulses)
            let doubt: (FoundTrack) -> TrackRefusal? = { doubts.doubt(of: $0, &seamed) }
            let isWeighed = run.leads.count == run.bits.count
            let limited: ([Float]) -> [Float] = {
                LostPairs.limited(missed.limited($0, of: run), of: run, putBack)
            }
            var soft = SoftBits(
                bits: run.bits, reliability: limited(isWeighed ? run.leads : run.reliability),
                isShared: isWeighed)
            var verdict = search.search(soft, repairs: false, doubt: doubt)
            if verdict.isAmbiguous, !isWeighed {
                // The intervals round a bit leave it in doubt: what the best reading with the other value lacks tells.
                let runs = weighed ?? clock.runs(reading.pulses, weighsRivals: true).runs
                weighed = runs
                if runs.indices.contains(index), runs[index].bits == run.bits {
                    soft.reliability = limited(runs[index].leads)
                    soft.isShared = true
                    verdict = search.search(soft, repairs: false, doubt: doubt)
                }
            }
            if case .found(let track) = verdict,
                reading.track.map({ $0.evidence < track.evidence }) ?? true
            {
                reading.track = track
                reading.trackRun = index
            }
            guard let (refusal, isReversed) = verdict.refusal, refusal != .noStartSentinel else { continue }
            reading.refusal = refusal
            reading.refusedAt = run.position(ofBit: refusal.bitPosition, isReversed: isReversed)
        }
    }

    /// The detector's run in the order of time.
    private func run(_ run: IntervalClock.Run, isTimeReversed: Bool, count: Int) -> IntervalClock.Run {
        guard isTimeReversed else { return run }
        var turned = run
        turned.bits.reverse()
        turned.edges = run.edges.reversed().map { Double(count - 1) - $0 }
        return turned
    }

    /// Mean power.
    func power(_ samples: [Float]) -> Float {
        var sum: Float = 0
        for sample in samples { sum += sample * sample }
        return sum / Float(max(samples.count, 1))
    }
}
