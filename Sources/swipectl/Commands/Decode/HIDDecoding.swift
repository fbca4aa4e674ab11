import ArgumentParser
import Captures
import CardData
import ReaderKit

/// `swipectl decode --hid`: captures of HID readers in, swipes out.
struct HIDDecoding {
    var json: Bool
    var reveals: Bool
    var printsCardAlone: Bool
    /// What the captures may be of; empty: anything.
    var models: [HIDCapture.Model]
    /// What stands between the fields of text streams; nil where nobody says so.
    var separator: UInt8?

    func run(_ files: [String]) throws {
        var failures = 0
        var found = 0
        for file in files {
            do {
                let (swipes, refused) = try decode(
                    file, try SoundFile.capture(file, limit: HIDCapture.maximumBytes, option: "--hid"))
                found += swipes
                failures += refused
            } catch let failure as OutputFailure {
                throw failure
            } catch {
                failures += 1
                Output.complain("\(file): \(error)")
            }
        }
        if failures > 0 { throw ExitCode(ExitStatus.failure.rawValue) }
        if found == 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    /// Prints every swipe of a capture, and says what else is wrong with it.
    ///
    /// - Returns: how many swipes are in it, and how many parts of it gave nothing.
    private func decode(
        _ file: String, _ bytes: [UInt8]
    ) throws(OutputFailure) -> (swipes: Int, refused: Int) {
        var failures = 0
        var swipes = 0
        var complaints = Complaints()
        let lines = HIDSwipeLines(file: file, reveals: reveals)
        let reading = HIDCapture.read(bytes, models: models, separator: separator)
        for outcome in reading.outcomes {
            switch outcome {
            case .success(let found):
                try Output.result(line(found, swipes, lines))
                swipes += 1
            case .failure(let refusal):
                failures += 1
                complaints.add(refusal.sentence)
            }
        }
        complaints.tell(of: file)
        if swipes == 0, !reading.tried.isEmpty {
            Output.complain("\(file): tried as \(reading.triedSentence)")
            if LineDecoding.isOfEncoder(bytes) {
                Output.complain(
                    "\(file): these are an encoder's reports: --serial msr605x reads them")
            }
        }
        return (swipes, failures)
    }

    private func line(_ found: HIDCapture.Found, _ index: Int, _ lines: HIDSwipeLines) -> String {
        if printsCardAlone {
            let shown = MaskedSwipe(found.swipe.tracks, card: found.swipe.card)
            return SwipeLines(file: lines.file, reveals: reveals).card(shown, index)
        }
        return json ? lines.json(found, index) : lines.plain(found, index)
    }
}
