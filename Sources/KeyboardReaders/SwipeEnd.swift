/// Where this reader puts Enter: whether the one that has just come ends a swipe, or only a track.
struct SwipeEnd: Sendable, Hashable {
    private enum Habit: Sendable, Hashable {
        case unknown
        /// One behind the whole swipe: two tracks stood in one line.
        case behindSwipe
        /// One behind each track.
        case behindTracks
    }

    private var habit = Habit.unknown

    /// Whether nothing of this swipe can follow the Enter that it ends with.
    ///
    /// - Parameters:
    ///   - tracks: how many tracks its last line holds.
    ///   - isChecked: a sum was right, so nothing is missing.
    func isOver(lines: Int, tracks: Int, isChecked: Bool) -> Bool {
        if isChecked { return true }
        switch habit {
        case .behindSwipe: return lines == 1
        // The third track has nothing behind it.
        case .behindTracks: return lines >= 3
        case .unknown: return lines == 1 && tracks > 1
        }
    }

    /// Whether another track may follow what has come, later than the reader's pace says.
    func mayGoOn(lines: Int, isFirstTrackAlone: Bool) -> Bool {
        switch habit {
        case .behindSwipe: false
        case .behindTracks: lines < 2
        case .unknown: isFirstTrackAlone
        }
    }

    /// A swipe has ended.
    mutating func learn(lines: Int, tracks: Int, endsWithEnter: Bool) {
        if lines > 1 {
            habit = .behindTracks
        } else if tracks > 1, endsWithEnter, habit == .unknown {
            habit = .behindSwipe
        }
    }
}
