import ArgumentParser
import Captures
import KeyboardLayouts
import KeyboardReaders
import ReaderKit

/// `swipectl decode --keys`: keys that somebody recorded of a reader that types, through the very driver that the daemon uses.
struct KeyDecoding {
    /// Some hundred swipes as evtest prints them.
    private static let maximumBytes = 16 << 20

    var json: Bool
    var reveals: Bool
    var layout: String

    func run(_ files: [String]) throws {
        let options = try keyboard()
        var (swipes, failures) = (0, 0)
        for file in files {
            do {
                let bytes = try SoundFile.capture(
                    file, limit: Self.maximumBytes, option: "--keys")
                guard bytes.count <= Self.maximumBytes else { throw SoundError("larger than 16 MiB") }
                var replay = KeyReplay(options)
                replay.take(try Self.inputs(bytes))
                replay.rest()
                let lines = HIDSwipeLines(file: file, reveals: reveals)
                let before = swipes
                for swipe in replay.swipes where !swipe.tracks.isEmpty {
                    try Output.result(
                        json
                            ? lines.json(swipe, model: KeyboardReader.descriptor.name, serial: nil, swipes)
                            : lines.plain(swipe, swipes))
                    swipes += 1
                }
                failures += replay.complaints.count
                var complaints = Complaints()
                for what in replay.complaints { complaints.add(what) }
                complaints.tell(of: file)
                if swipes == before, replay.complaints.isEmpty {
                    Output.complain("\(file): no swipe found")
                }
            } catch let failure as OutputFailure {
                throw failure
            } catch {
                failures += 1
                Output.complain("\(file): \(error)")
            }
        }
        if failures > 0 { throw ExitCode(ExitStatus.failure.rawValue) }
        if swipes == 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    private static func inputs(_ bytes: [UInt8]) throws(SoundError) -> [KeyInput] {
        do throws(KeyRecording.Refusal) { return try KeyRecording.inputs(in: bytes) } catch {
            throw SoundError(error.rawValue)
        }
    }

    private func keyboard() throws(CommandFailure) -> KeyboardOptions {
        do throws(KeyboardLayouts.Failure) { return try KeyboardLayouts.options(layout) } catch {
            throw CommandFailure(.usage, "--layout: \(error)")
        }
    }
}
