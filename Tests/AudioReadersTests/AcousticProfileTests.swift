import ReaderKit
import SectionFiles
import Testing

@testable import AudioReaders

@Suite("Acoustic profiles")
struct AcousticProfileTests {
    @Test("are told apart by name, and come in the order of the maker's own search")
    func standard() {
        let names = AcousticProfile.standard.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(
            AcousticProfile.uniMagProfiles.map(\.baud) == [
                9_600, 9_600, 9_600, 9_600, 9_600, 4_800, 4_800, 4_800, 2_400,
            ])
        #expect(AcousticProfile.uniMagProfiles.allSatisfy { $0.reader == .unimag && $0.power == .steady })
    }

    @Test("survive being printed and read", arguments: AcousticProfile.standard)
    func roundTrip(profile: AcousticProfile) throws {
        #expect(try AcousticProfileFile(profile.section).profiles == [profile])
    }

    @Test("are corrected by a file, whose own come first, without those of the same names")
    func corrections() throws {
        let file = try AcousticProfileFile(
            """
            # what a Shuttle wanted
            [profile mine]
            like = unimag-2400-16000-48000-1
            power_up_ms = 1500
            tone = 5000.5

            [profile ips]
            baud = 2400
            [profile his]
            like = mine
            code = biphase
            """)
        let profiles = file.added()
        #expect(profiles.prefix(3).map(\.name) == ["mine", "ips", "his"])
        #expect(profiles[0].powerUp == .milliseconds(1_500))
        #expect(profiles[0].tone.frequency == 5_000.5)
        #expect(profiles[0].baud == 2_400)
        #expect(profiles[2].code == .biphase && profiles[2].tone.frequency == 5_000.5)
        #expect(profiles.filter { $0.name == "ips" }.map(\.baud) == [2_400])
        #expect(profiles.filter { $0.name == "ips" }.map(\.code) == [.manchester])
        #expect(profiles.count == AcousticProfile.standard.count + 2)
    }

    @Test("of a file are tried also where they differ in the rates alone, those of the daemon are not")
    func ratesOfOnesOwn() {
        let known = AcousticProfile.uniMagProfiles[0]
        var options = ReaderOptions()
        options.profiles = [known, known, known]
        for (index, rate) in [16_000, 44_100].enumerated() {
            (options.profiles[index].name, options.profiles[index].playbackRate) = ("own-\(rate)", rate)
        }
        let jack = DeviceIdentity(readerID: "jack", bus: .audio, node: "")
        let names = UniMagDriver(jack, options: options).profiles.map(\.name)
        #expect(names == ["own-16000", "own-44100"])
    }

    @Test(
        "are refused with the line and what is allowed",
        arguments: [
            ("", 1, "no [profile NAME] in it"),
            ("baud = 1", 1, "'baud' stands before the first [profile NAME]"),
            ("[profile]", 1, "not a section: write [profile NAME]"),
            ("[profile a]\nbaud", 2, "not a setting: write key = value"),
            ("[profile a]\nbaud = 1", 2, "[profile a] baud: write a whole number from 300 to 19200"),
            ("[profile a]\ncode = x", 2, "[profile a] code: write one of uart, biphase, manchester"),
            ("[profile a]\nlevel = nan", 2, "[profile a] level: write a number from 0.0 to 1.0"),
            (
                "[profile a]\nlike = b", 2,
                "[profile a] like: no profile of that name further up or among the daemon's"
            ),
            ("[profile a]", 1, "[profile a] has nothing in it"),
            ("[profile a]\nbaud = 2400\n[profile a]\ncode = uart", 3, "there is a profile 'a' already"),
            ("[profile a]\nbaud = 2400\nbaud = 4800", 3, "'baud' stands in line 2 already"),
        ])
    func refusals(text: String, line: Int, reason: String) {
        #expect(throws: AcousticProfileFile.Failure(line: line, reason: reason)) {
            try AcousticProfileFile(text)
        }
    }
}
