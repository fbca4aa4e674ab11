import ReaderKit
import ReaderTesting
import Testing

@testable import AudioReaders

@Suite("The probe of a reader on a headset jack")
struct ProbeTests {
    private func block(_ samples: [Int16]) -> SampleBlock {
        SampleBlock(samples: samples, sampleRate: 48_000, firstFrame: 0)
    }

    private func report(_ says: [[UInt8]], profile: AcousticProfile = AcousticProfile.uniMagProfiles[0])
        -> ProbeListening
    {
        var listening = ProbeListening(profile: profile, sampleRate: 48_000)
        var reader = ReaderSimulator(.uniMag(profile), rate: 48_000)
        listening.take(block(Array(repeating: 0, count: 24_000)), .silence)
        for bytes in says {
            listening.take(block(reader.say(bytes) + Array(repeating: 0, count: 4_800)), .answer)
        }
        return listening
    }

    @Test("tells a version's answer by the kinds of its bytes")
    func answer() {
        let body = [0x02] + Array("VER 1".utf8) + [0x03]
        let listening = report([[0x06] + body + [body.reduce(0, ^)]])
        #expect(listening.isAnswered)
        let heard = listening.lines.filter { $0.hasPrefix("heard") }
        #expect(heard.count == 1)
        #expect(heard.first?.contains("ASttttdE") == true)
        #expect(listening.lines.contains { $0.contains("5 samples x ") })
    }

    @Test("writes nothing of a card that was swiped meanwhile")
    func swipe() throws {
        var generator = SeededGenerator(state: 1)
        let clear = Array("%B4266841088889999^TEST/UNIMAG^0809101?;4266841088889999=080910110000046?".utf8)
        for packet in [SimulatedPackets.uniMag(&generator), clear, Array(clear.suffix(36))] {
            let listening = report([packet])
            #expect(!listening.isAnswered)
            let lines = listening.lines.drop { !$0.hasPrefix("capture rate") }
            let text = lines.joined(separator: "\n")
            #expect(!text.contains("UNIMAG") && !text.contains("4266") && !text.contains("9999"))
            let heard = lines.filter { $0.hasPrefix("heard") }
            #expect(!heard.isEmpty)
            // Behind the measures stand letters of kinds, or nothing.
            for line in heard {
                let shown = line.drop { $0 != ":" }.dropFirst(2)
                #expect(shown.hasSuffix("bytes, not shown") || shown.allSatisfy { "PSEARdtx!".contains($0) })
            }
        }
    }

    @Test("says that silence is no answer")
    func silence() {
        let listening = report([])
        #expect(!listening.isAnswered && listening.lines.last == "no answer")
    }
}
