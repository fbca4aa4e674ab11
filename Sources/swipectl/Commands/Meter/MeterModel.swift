import CardData
import SwipeProtocol

/// What a meter shows: the level now, the highest of the last seconds, the last swipes, and what follows for the gain.
struct MeterModel {
    /// A swipe as far as it is about sound: nothing of what it holds.
    struct Swipe: Hashable {
        var time: WallTime
        var tracks: [Track]
        var quality: SwipeQuality
        /// Decibels; nil where the level was not measured while it passed.
        var peak: Int?
    }

    struct Track: Hashable {
        var track: Int
        var status: TrackStatus
    }

    /// What to do with the gain.
    enum Gain: Hashable {
        /// No swipe has shown it yet.
        case unknown
        case raise(decibels: Int)
        case lower(decibels: Int)
        case keep
    }

    static let keptSwipes = 8
    /// Levels that the peak is held over: three seconds.
    static let heldLevels = 30
    /// The swipes that the gain is judged by.
    private static let judgedSwipes = 5
    /// Where a swipe's peaks should be, and what is good enough: below full scale by what one hand is faster than another.
    private static let wantedPeak = -9
    private static let goodPeaks = -18 ... -4
    /// By how much a gain is lowered at least where samples were cut off: how far they would have gone is not known.
    private static let leastLowering = 6
    /// A swipe is told when its card has passed; the levels of its passage end at most so many levels before that.
    private static let lateLevels = 10

    /// What is not so far over the noise is no card: its peaks alone are a dozen decibels over it.
    private static let overNoise = 15

    private(set) var level: SoundLevel?
    private(set) var isClosed = false
    /// The last first.
    private(set) var swipes: [Swipe] = []
    /// What was set last from here, in percent; the swipes before it say nothing of it.
    private(set) var setGain: Int?
    /// Why it could not be set.
    private(set) var complaint: String?
    /// The outline of the last passage that has one.
    private(set) var outline: [Int]?
    private var swipesSinceSet = 0
    private var peaks: [Int] = []
    private var passagePeak: Int?
    private var sincePassage = MeterModel.lateLevels
    private var isInPassage = false
    private var isNoiseKnown = false
    /// The swipe of the passage that ended last may still get its peak.
    private var isSwipeOfPassage = false

    var hold: Int? { peaks.max() }

    mutating func take(_ level: SoundLevel) {
        self.level = level
        isClosed = false
        peaks.append(level.peak)
        peaks.removeFirst(max(peaks.count - Self.heldLevels, 0))
        outline = level.passage ?? outline
        guard level.isOpen else {
            isInPassage = false
            sincePassage += 1
            return
        }
        if !isInPassage { (passagePeak, isSwipeOfPassage) = (nil, false) }
        isInPassage = true
        sincePassage = 0
        isNoiseKnown = level.floor != nil
        if level.floor.map({ level.peak >= $0 + Self.overNoise }) ?? true { passagePeak = level.peak }
        if isSwipeOfPassage, !swipes.isEmpty { swipes[0].peak = passagePeak }
    }

    mutating func take(_ swipe: SwipeData, at time: WallTime) {
        // What nothing was read of may be no card, where the noise is not known or another gain has changed it.
        let isCard = !swipe.tracks.isEmpty || isNoiseKnown && setGain == nil
        isSwipeOfPassage = isCard && sincePassage < Self.lateLevels
        swipes.insert(
            Swipe(
                time: time, tracks: swipe.tracks.map { Track(track: $0.track, status: $0.status) },
                quality: swipe.quality, peak: isSwipeOfPassage ? passagePeak : nil), at: 0)
        swipes.removeLast(max(swipes.count - Self.keptSwipes, 0))
        swipesSinceSet += 1
    }

    /// The gain is another now: the level is to be seen anew.
    mutating func set(gain percent: Int) {
        (setGain, complaint, swipesSinceSet) = (percent, nil, 0)
        peaks.removeAll()
    }

    mutating func complain(_ words: String) { complaint = words }

    /// Nothing is listened to.
    mutating func close() { isClosed = true }

    /// By the loudest of the last swipes: it must not be cut off.
    var gain: Gain {
        let judged = swipes.prefix(
            setGain == nil ? Self.judgedSwipes : min(Self.judgedSwipes, swipesSinceSet))
        let isClipped = judged.contains { $0.quality.isClipped }
        guard let peak = judged.compactMap(\.peak).max() else {
            return isClipped ? .lower(decibels: Self.leastLowering) : .unknown
        }
        if isClipped { return .lower(decibels: max(peak - Self.wantedPeak, Self.leastLowering)) }
        if Self.goodPeaks.contains(peak) { return .keep }
        return peak > Self.wantedPeak
            ? .lower(decibels: peak - Self.wantedPeak) : .raise(decibels: Self.wantedPeak - peak)
    }
}

extension MeterModel.Gain {
    var advice: String {
        switch self {
        case .unknown: "swipe"
        case .raise: "raise"
        case .lower: "lower"
        case .keep: "keep"
        }
    }

    var decibels: Int? {
        switch self {
        case .raise(let decibels), .lower(let decibels): decibels
        case .unknown, .keep: nil
        }
    }

    var words: String {
        switch self {
        case .unknown: "swipe a card a few times"
        case .raise(let decibels): "raise it by \(decibels) dB"
        case .lower(let decibels): "lower it by \(decibels) dB"
        case .keep: "right as it is"
        }
    }
}
