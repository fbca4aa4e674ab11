package import CardData

/// One pass of a card under several heads.
package struct Stroke: Sendable {
    /// What a head gave.
    package struct Part: Sendable {
        package var head: Int
        package var swipe: StripeSwipe
    }

    /// Of each head that heard the card, one with a text first.
    package private(set) var parts: [Part]

    init(_ parts: [Part]) {
        let reading = Set(parts.filter(\.swipe.hasText).map(\.head))
        // What a head refused and then read whole is no news.
        let heard = parts.filter { part in
            !part.swipe.tracks.isEmpty && (part.swipe.hasText || !reading.contains(part.head))
        }
        self.parts = Self.named(heard.isEmpty ? parts : heard)
        if let index = self.parts.firstIndex(where: \.swipe.hasText) { self.parts.swapAt(0, index) }
    }

    /// Swipes of two heads are one card's where they have this part of the shorter one in common.
    private static let commonPart = 0.5

    /// The parts of each card. A head reads one track of it: two texts of one head are two cards, and what was refused belongs to a card
    /// only where it passed with no other.
    static func groups(_ parts: [Part]) -> [[Part]] {
        var groups: [[Part]] = []
        for part in parts where part.swipe.hasText {
            let group = groups.firstIndex { group in
                group.allSatisfy { $0.head != part.head && areTogether($0.swipe, part.swipe) }
            }
            if let group { groups[group].append(part) } else { groups.append([part]) }
        }
        let cards = groups
        for part in parts where !part.swipe.hasText {
            let near = groups.indices.filter { groups[$0].contains { areTogether($0.swipe, part.swipe) } }
            let isOfOne = near.count == 1 || !near.contains { $0 < cards.count }
            if let first = near.first, isOfOne { groups[first].append(part) } else { groups.append([part]) }
        }
        return groups
    }

    private static func areTogether(_ one: StripeSwipe, _ other: StripeSwipe) -> Bool {
        let (first, second) = (one.passage, other.passage)
        return Double(first.clamped(to: second).count) > commonPart * Double(min(first.count, second.count))
    }

    private static let names = 1...3

    /// A head that read nothing cannot tell on which track it is: it is called by one that no other head read. Heads that failed
    /// alike are called alike.
    private static func named(_ parts: [Part]) -> [Part] {
        let tracks = parts.flatMap(\.swipe.tracks)
        var free = names.filter { name in !tracks.contains { $0.text != nil && $0.track == name } }
        var given: [(reading: TrackReading, name: Int)] = []
        func name(_ reading: TrackReading) -> Int {
            if reading.text != nil { return reading.track }
            if let known = given.first(where: { $0.reading == reading }) { return known.name }
            guard !free.isEmpty else { return reading.track }
            let name = free.remove(at: free.firstIndex(of: reading.track) ?? 0)
            given.append((reading, name))
            return name
        }
        return parts.map { part in
            var part = part
            for index in part.swipe.tracks.indices {
                part.swipe.tracks[index].track = name(part.swipe.tracks[index])
            }
            return part
        }
    }

    /// In samples of the stream.
    package var range: Range<UInt64> {
        let start = parts.map(\.swipe.startSample).min() ?? 0
        return start..<max(parts.map(\.swipe.endSample).max() ?? 0, start)
    }

    /// Every text, and what was refused. Two heads that read the same text, or failed alike, are one. All others stay: a refused
    /// one must not hide behind a good one.
    package var tracks: [TrackReading] {
        var tracks: [TrackReading] = []
        for reading in parts.flatMap(\.swipe.tracks) {
            let isThere =
                reading.text == nil
                ? tracks.contains(reading)
                : tracks.contains { $0.track == reading.track && $0.text == reading.text }
            if !isThere { tracks.append(reading) }
        }
        return tracks.sorted { $0.track < $1.track }
    }

    /// As one swipe, for those who know of no heads; nil where there is no part.
    package var swipe: StripeSwipe? {
        guard var swipe = parts.first?.swipe else { return nil }
        let range = range
        (swipe.startSample, swipe.endSample) = (range.lowerBound, range.upperBound)
        swipe.tracks = tracks
        let qualities = parts.map(\.swipe.quality)
        swipe.quality.clippedPercent = qualities.compactMap(\.clippedPercent).max()
        swipe.quality.repairedBits = swipe.tracks.reduce(0) { $0 + $1.repairedBits }
        if qualities.contains(where: \.isJoined) {
            swipe.quality.isJoined = true
            (swipe.quality.signalToNoiseDecibels, swipe.quality.jitterPercent) = (nil, nil)
        }
        return swipe
    }
}

extension StripeSwipe {
    /// Where the card passed: a gate stays open for longer, before and after it.
    fileprivate var passage: Range<UInt64> {
        let edges = hasText ? bitRuns.max { $0.bits.count < $1.bits.count }?.cellEdges ?? [] : []
        guard let first = edges.first, let last = edges.last, first >= 0, last > first else {
            return startSample..<max(endSample, startSample)
        }
        return UInt64(first)..<UInt64(last)
    }
}

extension TrackReading {
    fileprivate var repairedBits: Int {
        if case .repaired(_, let bits) = outcome { bits } else { 0 }
    }
}
