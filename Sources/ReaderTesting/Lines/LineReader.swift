/// A reader on a line that sends of itself, as its documents say that it does: cards in, bytes out. It knows nothing of the drivers.
///
/// Sources: MagTek 413759 and 413756 (text); one open client, pyidtech (Spectrum III); one developer's article (MRS100).
package struct LineReader: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case text = "text-line"
        case spectrum3 = "spectrum3-line"
        case mrs100 = "mrs100-line"
    }

    /// What became of a card at the head.
    package enum Pass: Sendable, Hashable {
        /// Its tracks, in order; nil has no record.
        case tracks([Track?])
        /// Nothing could be read.
        case failed
        /// Of readers that know: the card was not pushed in all the way.
        case incomplete
    }

    package enum Track: Sendable, Hashable {
        case text(String)
        case unreadable
    }

    /// The ways in which readers of a kind differ.
    package struct Habits: Sendable, Hashable {
        /// Text: what ends a swipe. Where it has none, its tracks are not parted either.
        package var lineEnd = "\r"
        /// Text: each track has a line of its own.
        package var partsTracks = false
        /// MRS100: the bytes that the check byte is made of, which its one source leaves open.
        package var sum = Sum.fromLength
        package enum Sum: Sendable, CaseIterable { case fromLength, fromStart, withoutEnd }
        package init() {}
    }

    package let kind: Kind
    package var habits = Habits()

    package init(_ kind: Kind) { self.kind = kind }

    /// What it says when it gets power.
    package var signOn: [UInt8] { kind == .text ? Array("21042807E02\r".utf8) : [] }

    /// What it sends of a card.
    package func bytes(of pass: Pass) -> [UInt8] {
        switch kind {
        case .text: text(pass)
        case .spectrum3: spectrum3(pass)
        case .mrs100: mrs100(pass)
        }
    }

    private static func texts(_ tracks: [Track?]) -> [String] {
        tracks.enumerated().compactMap { index, track in
            switch track {
            case nil: nil
            case .text(let text): text
            case .unreadable: index == 0 ? "%E?" : index == 1 ? ";E?" : "+E?"
            }
        }
    }

    private func text(_ pass: Pass) -> [UInt8] {
        switch pass {
        case .tracks(let tracks):
            let separator = habits.partsTracks ? habits.lineEnd : ""
            return Array((Self.texts(tracks).joined(separator: separator) + habits.lineEnd).utf8)
        case .failed, .incomplete: return Array(("%E?;E?" + habits.lineEnd).utf8)
        }
    }

    /// `60 HI LO · command, status, tracks parted by 0D · LRC 03`
    private func spectrum3(_ pass: Pass) -> [UInt8] {
        // Status: 02 seated, 04 media, 08 present, 10 data, 40 not pushed in all the way.
        let data: [UInt8] =
            switch pass {
            case .tracks(let tracks): [0x50, 0x1E] + Self.texts(tracks).joined(separator: "\r").utf8
            case .failed: [0x50, 0x0E] + "%E?\r;E?".utf8
            case .incomplete: [0x50, 0x42]
            }
        let body = [UInt8(0x60), UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
        return body + [body.reduce(0, ^), 0x03]
    }

    /// `02 LEN 33 30 Y or N, tracks 03 BCC`
    private func mrs100(_ pass: Pass) -> [UInt8] {
        let body: [UInt8] =
            switch pass {
            case .tracks(let tracks): Array("30Y\(Self.texts(tracks).joined())".utf8)
            case .failed, .incomplete: Array("30N1".utf8)
            }
        let inner = [UInt8(body.count)] + body
        let bare = inner.reduce(0, ^)
        let check: UInt8 =
            switch habits.sum {
            case .fromLength: bare ^ 0x03
            case .fromStart: bare ^ 0x03 ^ 0x02
            case .withoutEnd: bare
            }
        return [0x02] + inner + [0x03, check]
    }
}
