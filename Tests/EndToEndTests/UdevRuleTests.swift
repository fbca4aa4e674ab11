import Foundation
import Testing

/// The generated udev rules, where they look at a device's report descriptor.
@Suite struct UdevRuleTests {
    private static let rules = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../udev/70-swiped.rules")

    /// What an insert reader's descriptor says (99875191): a vendor page, and an input field of usage 20, the decode status.
    private static let insertReaders = [
        // Each field by itself, and several in one item.
        "0600ff0901a101150026ff007508092095018202010930956e820201093995018202010920951 8b20201c0",
        "0600ff0901a101150026ff0075080920092109220928092909 2a0938950781020930956e820201093995018102c0",
        // By the least and the greatest usage.
        "0600ff0901a1011920292275089503150026ff008102c0",
    ]
    /// The MSR605X, with which swiped only reads, by a rule of its own: input reports of 64 bytes. ASSUMPTION: none is public.
    private static let encoders = [
        "0600ff0901a101150026ff007508954009018102954009019102c0",
        "0600ff0901a101150026ff00750895400901810209019102092 0b102c0",
        "0600ff0901a1011901290815002 6ff007508954081029540190129089102c0",
    ]
    /// Neither, with their ids.
    private static let neither = [
        "05010906a101050719e029e715002501750195088102c0",
        "0600ff0901a101150026ff00750809019508810209 209540b102c0",
    ]
    /// The MSR605X writer and others with its ids: 64 bytes each way, or no input of that usage.
    private static let strangers = [
        "0600ff0901a101150026ff0075080901954082020175080920953cb20201c0",
        "0600ff0901a101190129081500 26ff007508954081021901290 89102c0",
        "05010906a101050719e029e715002501750195088102c0",
    ]

    /// The rule's program for an id, run on a descriptor.
    private func takes(_ descriptor: String, ids: String, rule number: Int = 0) throws -> Bool {
        let rules = try String(contentsOf: Self.rules, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("KERNELS==\"*:\(ids).*\"")
        }
        let rule = try #require(rules.dropFirst(number).first)
        let program = try #require(rule.firstMatch(of: /PROGRAM=="([^"]*)"/)).output.1
        let fixture = try SoundFixture()
        let digits = descriptor.filter { $0 != " " }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start in
            UInt8(digits.dropFirst(start).prefix(2), radix: 16)
        }
        let folder = fixture.folder.appending(path: "device")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: folder.appending(path: "report_descriptor"))
        let command = String(program.replacing("$sys$devpath", with: fixture.folder.path))
        return try FinishedProgram(["sh", "-c", String(command)]).status == 0
    }

    @Test(arguments: insertReaders) func insertReadersAreTaken(descriptor: String) throws {
        #expect(try takes(descriptor, ids: "0801:0003"))
    }

    @Test(arguments: strangers) func strangersWithTheirIDsAreLeftAlone(descriptor: String) throws {
        #expect(try !takes(descriptor, ids: "0801:0003"))
    }

    /// Two makers' devices with the same ids: each by its own rule, and none by the other's.
    @Test(arguments: encoders) func encodersAreTaken(descriptor: String) throws {
        #expect(try takes(descriptor, ids: "0801:0003", rule: 1))
        #expect(try !takes(descriptor, ids: "0801:0003"))
    }

    @Test(arguments: neither + insertReaders) func othersAreNoEncoders(descriptor: String) throws {
        #expect(try !takes(descriptor, ids: "0801:0003", rule: 1))
    }
}
