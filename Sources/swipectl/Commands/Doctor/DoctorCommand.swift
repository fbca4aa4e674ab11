import ArgumentParser
import Diagnosis
import Inspection
import SwipeClient
import SwipeProtocol

/// Finds out why a reader does nothing.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why a reader does nothing, and say what mends it.",
        discussion: """
            It looks at the daemon, the configuration, udev, the devices and the sound cards, changes nothing, and tells what is \
            wrong in the order in which to mend it, each with what was seen, what that means and the commands. Where all is in \
            order it prints one line. A daemon that has just started is given three seconds for its readers. With a reader it leaves \
            the others out, and explains what is no fault. The output has \
            neither card data nor, unless --serials is given, serial numbers. As root it also sees which program has a device \
            open. Exit status: 0 where nothing is wrong, 4 where the daemon has no such reader, else 1.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "One JSON object.")
    var json = false

    @Flag(help: "With the readers' serial numbers.")
    var serials = false

    @Option(
        help: ArgumentHelp(
            "Look at the files of a system below this folder in place of the running system's.",
            valueName: "folder", visibility: .hidden), completion: .directory)
    var root: String?

    @Argument(help: "The reader: its id, its name, or the beginning of one.", completion: .readers)
    var reader: String?

    /// A daemon that began less than so many seconds ago has not opened its readers yet: what it says of them is no sign of health.
    private static let settling = 3

    func run() async throws {
        var (facts, answers) = await look()
        if root == nil, let age = facts.daemon.age(at: facts.machine.clock), age < Self.settling {
            Output.complain("the daemon has just started; asking again in \(Self.settling - age) s")
            try await Task.sleep(for: .seconds(Self.settling - age))
            (facts, answers) = await look()
        }
        let report = DoctorReport(
            findings: try findings(facts, answers), facts: facts,
            hidden: serials ? nil : DeviceNumbers(facts))
        if json {
            try Output.line(report)
        } else {
            try Output.result(report.text(.forStandardOutput()))
        }
        if !report.isHealthy { throw ExitCode.failure }
    }

    private func look() async -> (Facts, DaemonAnswers) {
        // First: where only its socket is there, the question starts the daemon.
        let answers = await DaemonAnswers.asked(connection)
        let inspection = root.map { Inspection.files(root: $0) } ?? .running
        var facts = inspection.facts(socketPath: connection.path)
        answers.add(to: &facts)
        return (facts, answers)
    }

    /// A reader that the daemon does not list may be one whose section says what is missing.
    private func findings(_ facts: Facts, _ answers: DaemonAnswers) throws(CommandFailure) -> [Finding] {
        do throws(CommandFailure) {
            return Diagnosis.findings(facts, about: try answers.meant(by: reader))
        } catch {
            let ofSection = Diagnosis.findings(facts).filter { $0.isOfSection(reader ?? "") }
            if ofSection.isEmpty { throw error }
            return ofSection
        }
    }
}

extension Finding {
    /// Whether it is about the section of that name, or of the reader of that id: `till`, `serial-till`, `virtual-till`.
    fileprivate func isOfSection(_ word: String) -> Bool {
        guard case .section(let section) = subject, let name = section.split(separator: " ").last else {
            return false
        }
        return [String(name), "serial-\(name)", "virtual-\(name)", "audio-\(name)"].contains(word)
    }
}

/// What the daemon says of itself and its readers; the error where it says nothing.
struct DaemonAnswers {
    var answer = DaemonFacts.Answer.none
    var readers: [ReaderInfo] = []
    private var inputs: [AudioInputInfo] = []
    private var unused: [UnusedInputInfo] = []
    private var counted = JSONObject()

    /// How long it may take: a daemon that hangs is what is looked for.
    private static let patience = Duration.seconds(3)

    static func asked(_ connection: ConnectionOptions) async -> DaemonAnswers {
        var answers = DaemonAnswers()
        let client = SwipeClient(path: connection.path, reconnects: false, timeout: patience)
        defer { client.close() }
        do throws(SwipeClientError) {
            let roles = try await client.connect().you.roles
            answers.readers = try await client.readers()
            answers.inputs = try await client.audioInputs()
            answers.unused = try await client.unusedInputs()
            answers.counted = try await client.stats().object?["readers"]?.object ?? JSONObject()
            answers.answer = .roles(Set(roles.map(\.rawValue)))
        } catch {
            answers.answer = Self.answer(error, connection.path)
        }
        return answers
    }

    private static func answer(_ error: SwipeClientError, _ path: String) -> DaemonFacts.Answer {
        switch error.code {
        case .noDaemon: .none
        case .denied: CommandFailure.mayOpen(path) ? .noRole : .forbidden
        case _: .silence
        }
    }

    /// The id of the reader that a word means. Where the daemon does not answer nobody knows its readers, and that is what is wrong:
    /// then all is looked at, as it is without a word.
    func meant(by word: String?) throws(CommandFailure) -> String? {
        guard let word, case .roles = answer else { return nil }
        let empty = inputs.map(\.id).filter { id in !readers.contains { $0.id == id } }
        let candidates =
            readers.map { ReaderChoice.Candidate(id: $0.id, name: $0.name) }
            + empty.map { ReaderChoice.Candidate(id: $0) }
        do throws(CommandFailure) {
            return try ReaderChoice(word, among: candidates).id()
        } catch {
            throw CommandFailure(
                error.status, error.description,
                advice: "'swipectl doctor' without a reader looks for what keeps one away.")
        }
    }

    func add(to facts: inout Facts) {
        facts.daemon.answer = answer
        facts.readers = readers.map { ReaderFacts($0, counted: counted[$0.id]?.object) }
        facts.unused = unused.map { UnusedFacts($0) }
        // What is in no jack is no reader that the daemon lists.
        facts.readers += inputs.filter { input in !readers.contains { $0.id == input.id } }.map {
            input in
            var reader = ReaderFacts(id: input.id, bus: "audio", state: "absent")
            reader.isPluggedIn = input.isPluggedIn
            return reader
        }
        for input in inputs where !input.isListening && input.isPluggedIn != false {
            guard let index = facts.readers.firstIndex(where: { $0.id == input.id }) else { continue }
            facts.readers[index].whyClosed = input.why
        }
    }
}
