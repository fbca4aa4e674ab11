import Glibc

/// The ALSA configuration of our capture plugin. With it in memory no file and no environment variable is needed;
/// the same text in `~/.asoundrc` lets `arecord` hear the virtual card (docs/devices.md).
package struct VirtualSoundCard: Sendable, Hashable {
    private static let library = "libasound_module_pcm_swiped.so"
    private static let packagedFolder = "/usr/lib/swiped"

    package var source: String
    /// What is played can be read there; nil: the card does not play.
    package var sink: String?
    package var speed: Double
    /// The file with the gain of what is captured; nil: there is none.
    package var gain: String?
    package var plugin: String?
    /// Faults and formats for tests, as fields of the plugin: `format`, `heads`, `channels`, `rate`, `overrun_at`,
    /// `underrun_at`.
    package var options: [String: String]

    package init(
        source: String, sink: String? = nil, speed: Double = 1, gain: String? = nil, plugin: String? = nil,
        options: [String: String] = [:]
    ) {
        self.source = source
        self.gain = gain
        self.sink = sink
        self.speed = speed
        self.plugin = plugin
        self.options = options
    }

    package func definition(of pcm: String) -> String {
        var options = options
        options["sink"] = sink
        options["gain"] = gain
        let fields = options.sorted { $0.key < $1.key }.map {
            "    \($0.key) \(Int($0.value) == nil ? Self.quoted($0.value) : $0.value)"
        }
        return """
            pcm_type.swiped { lib \(Self.quoted(plugin ?? Self.findPlugin())) }
            pcm.\(pcm) {
                type swiped
                source \(Self.quoted(source))
                speed \(speed)
            \(fields.joined(separator: "\n"))
            }
            """ + "\n"
    }

    /// The same for a control device with a headphone volume, which stands in a file: ` 40  40 1 1` for left, right
    /// and their switches.
    ///
    /// - Parameter loudest: how far the volume goes, 0…100.
    package func mixerDefinition(of control: String, volume: String, loudest: Int = 100) -> String {
        """
        ctl_type.swiped { lib \(Self.quoted(plugin ?? Self.findPlugin())) }
        ctl.\(control) { type swiped volume \(Self.quoted(volume)) loudest \(loudest) }
        """ + "\n"
    }

    /// The same for a control device with a microphone's gain, in a file of the same form.
    ///
    /// - Parameter choice: a file of that form with the number of the input that each channel is of: 0 is the microphone, 1 the line;
    ///   nil: there is nothing to choose.
    package func gainDefinition(
        of control: String, gain: String, choice: String? = nil, loudest: Int = 100
    ) -> String {
        let chosen = choice.map { " choice \(Self.quoted($0))" } ?? ""
        return """
            ctl_type.swiped { lib \(Self.quoted(plugin ?? Self.findPlugin())) }
            ctl.\(control) { type swiped gain \(Self.quoted(gain))\(chosen) loudest \(loudest) }
            """ + "\n"
    }

    /// The same for a control device, whose one jack hears `source`: '1' plugs in, '0' pulls out.
    package func jackDefinition(of control: String) -> String {
        """
        ctl_type.swiped { lib \(Self.quoted(plugin ?? Self.findPlugin())) }
        ctl.\(control) { type swiped source \(Self.quoted(source)) }
        """ + "\n"
    }

    private static func findPlugin() -> String {
        let beside = programFolder() + "/" + library
        return access(beside, R_OK) == 0 ? beside : packagedFolder + "/" + library
    }

    private static func programFolder() -> String {
        let path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let bytes = buffer.baseAddress else { return "" }
            let count = readlink("/proc/self/exe", bytes, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    /// ALSA's own quoting; what could end a string is escaped.
    private static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}
