import ArgumentParser
import DeviceIO

/// A frame as people write it.
struct LineFrame: ExpressibleByArgument {
    let frame: SerialLineConfiguration.Frame
    static var allValueStrings: [String] { SerialLineConfiguration.Frame.allCases.map(\.rawValue) }
    var defaultValueDescription: String { frame.rawValue }

    init(_ frame: SerialLineConfiguration.Frame) { self.frame = frame }
    init?(argument: String) {
        guard let frame = SerialLineConfiguration.Frame(rawValue: argument) else { return nil }
        self.frame = frame
    }
}
