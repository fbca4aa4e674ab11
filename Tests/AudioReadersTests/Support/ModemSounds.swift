import ReaderKit
import ReaderTesting

@testable import AudioReaders

/// What a modem hears in a sound.
enum ModemSounds {
    static func heard(_ samples: [Int16], _ demodulator: inout AcousticDemodulator) -> [BurstCollector
        .Message]
    {
        var collector = BurstCollector()
        return demodulator.process(samples.span).compactMap { collector.receive($0) }
    }
}
