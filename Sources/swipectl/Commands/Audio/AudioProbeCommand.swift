import ArgumentParser
import AudioReaders
import DeviceIO
import Glibc
import ReaderKit
import SystemPackage

/// `swipectl audio probe`: plays each profile's power-up to a reader, and writes down what came back.
struct AudioProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Record what a reader on a headset jack answers, for a bug report.",
        discussion: """
            Plays LOUD tones at full volume: take headphones off. Do not swipe a card while it runs. What is written \
            holds levels, times and counts, and of each byte only its kind: no sample of the sound and no value of a \
            byte, so no card can be read from it. The daemon must not use the card meanwhile.
            """)

    @Option(help: "The sound card, as ALSA names it: hw:CARD=Device.") var card: String
    @Option(help: "The folder for the report; made where it is missing.", completion: .directory)
    var output = "audio-probe"
    @Option(
        help: "Only the profiles of this reader: unimag, ips or ips_enterprise.",
        completion: .list(AcousticProfile.Reader.allCases.map(\.rawValue)))
    var reader: String?
    @Option(help: "A file of profiles to try before the known ones.", completion: .file())
    var profiles: String?
    @Flag(help: "Leave the volume as it is.") var keepVolume = false
    @Flag(help: "Do not ask before the tones.") var yes = false
    @Option(help: .hidden) var alsaConfiguration: String?
    @Option(help: .hidden) var state = Self.daemonsState

    /// Where the daemon writes down what it has to put back at its next start: StateDirectory= of its unit.
    private static let daemonsState = "/var/lib/swiped"

    func validate() throws {
        guard reader.map({ AcousticProfile.Reader(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--reader: unimag, ips or ips_enterprise")
        }
    }

    func run() async throws {
        let chosen = try chosenProfiles()
        guard try yes || isAgreed() else {
            throw CommandFailure(.failure, "not confirmed; nothing was played")
        }
        guard mkdir(output, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure(
                .failure, "\(output): the folder cannot be made: \(OutputFailure(code: errno))")
        }
        let definition = try alsaConfiguration.map(Self.text)
        for card in await VolumeRecords.restoreAll(in: output) {
            Output.error(
                "the volume of \(card.control.printable), which a probe that was killed left raised, is put back\n"
            )
        }
        let probe = AudioProbe(
            card: card, definition: definition, records: records, raisesVolume: !keepVolume)
        var lines = AudioProbe.heading(card: card)
        // What the probe raises and plays must not outlive it.
        EndingSignal.watch()
        for profile in chosen {
            Output.error("trying \(profile.name)\n")
            lines += [""] + (try await probe.lines(profile))
        }
        try write(lines.joined(separator: "\n") + "\n")
        try Output.result("\(output.printable)/report.txt\n")
    }

    /// The daemon's folder, where this user may write to it: then its next start puts back what `kill -9` leaves raised. The
    /// report's otherwise, where the next probe finds it. Of the daemon's records only that of this card is touched: the
    /// others may be of cards that it uses.
    private var records: String {
        access(state, R_OK | W_OK | X_OK) == 0 ? state : output
    }

    private func chosenProfiles() throws -> [AcousticProfile] {
        var known = AcousticProfile.standard
        if let profiles {
            let text = try Self.text(profiles)
            do throws(AcousticProfileFile.Failure) {
                known = try AcousticProfileFile(text).added()
            } catch {
                throw CommandFailure(.usage, "\(profiles): \(error)")
            }
        }
        return known.filter { reader == nil || $0.reader.rawValue == reader }
    }

    private func isAgreed() throws -> Bool {
        guard isatty(STDIN_FILENO) != 0 else {
            throw CommandFailure(.usage, "this plays loud tones: use --yes where the command cannot ask")
        }
        Output.error("Loud tones at full volume follow. Headphones off, and no card swiped? [y/N] ")
        return readLine() == "y"
    }

    private func write(_ report: String) throws {
        do {
            let file = try FileDescriptor.open(
                FilePath(output + "/report.txt"), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll(report.utf8) }
        } catch {
            throw CommandFailure(.failure, "\(output)/report.txt: \(error)")
        }
    }

    private static func text(_ path: String) throws -> String {
        let most = AcousticProfileFile.maximumBytes
        let bytes: [UInt8]
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            bytes = try file.closeAfter {
                try [UInt8](unsafeUninitializedCapacity: most + 1) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
        } catch {
            throw CommandFailure(.failure, "\(path): \(error)")
        }
        guard bytes.count <= most else { throw CommandFailure(.usage, "\(path): longer than \(most) bytes") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
