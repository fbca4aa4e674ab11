import FoundationEssentials
import ReaderCatalog
import ReaderKit
import SwipeProtocol

/// The settings that say what reader is at a sound input and how it behaves.
extension ConfigurationReading {
    func audioSetup(_ section: [String]) throws(ConfigurationError) -> AudioSetup {
        var options = ReaderOptions()
        options.activateOnAttach = flag(section, "activate_on_attach")
        options.volumeToMax = flag(section, "volume_to_max")
        options.alwaysAcceptSwipe = flag(section, "always_accept_swipe")
        options.activateWithoutPrompting = flag(section, "activate_without_prompting")
        options.prompts.activation = text(section, "activation_prompt")
        options.prompts.activationAtMaximumVolume = text(section, "activation_at_maximum_volume_prompt")
        options.prompts.initializing = text(section, "initializing_message")
        options.prompts.timeout = text(section, "timeout_message")
        options.prompts.volumeTooLow = text(section, "volume_too_low_message")
        do throws(RequestRefusal) {
            try options.setSwipeTimeout(seconds: integer(section, "swipe_timeout_s"))
            try options.setPromptTimeout(seconds: integer(section, "prompt_timeout_s"))
        } catch {
            throw fault(section, "swipe_timeout_s", error.reason)
        }
        let type = AudioReaderType(rawValue: text(section, "type")) ?? .passive
        options.profile = try profile(section, type)
        options.cardFormats = try cardFormats(section)
        return AudioSetup(
            type: type, options: options, remembersAutodetect: flag(section, "remember_autodetect"),
            rate: integer(section, "rate"))
    }

    private func flag(_ section: [String], _ key: String) -> Bool {
        SettingKind.flag(text(section, key)) ?? false
    }

    /// The profile that is named; without a name, the first of the file that is for this kind of reader; nil where
    /// neither is given.
    private func profile(
        _ section: [String], _ type: AudioReaderType
    ) throws(ConfigurationError) -> AcousticProfile? {
        let file = text(section, "profile_file"), name = text(section, "profile")
        let own = file.isEmpty ? [] : try profiles(of: file, section)
        let known =
            own
            + ReaderCatalog.acousticProfiles.filter { standard in
                !own.contains { $0.name == standard.name }
            }
        if !name.isEmpty {
            guard let profile = known.first(where: { $0.name == name }) else {
                let names = known.map(\.name).joined(separator: ", ")
                throw fault(section, "profile", "there is no profile '\(name)'; there are: \(names)")
            }
            return profile
        }
        guard !own.isEmpty else { return nil }
        guard type != .autodetect else { return own.first }
        guard let profile = own.first(where: { $0.reader.rawValue == type.rawValue }) else {
            throw fault(
                section, "profile_file", "\(file) has no profile for a reader of type \(type.rawValue)")
        }
        return profile
    }

    /// The text of the file of card formats; empty where none is named.
    private func cardFormats(_ section: [String]) throws(ConfigurationError) -> String {
        let file = text(section, "formats")
        guard !file.isEmpty else { return "" }
        let formats = try content(of: file, section, "formats")
        if let reason = ReaderCatalog.fault(inCardFormats: formats) {
            throw ConfigurationError(place: file, reason: reason)
        }
        return formats
    }

    private func content(
        of file: String, _ section: [String], _ key: String
    ) throws(ConfigurationError) -> String {
        if let reason = ConfigurationLoader.fault(reading: file) {
            throw fault(section, key, "\(file): \(reason)")
        }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw fault(section, key, "\(file): it is not UTF-8")
        }
        return text
    }

    private func profiles(
        of file: String, _ section: [String]
    ) throws(ConfigurationError) -> [AcousticProfile] {
        switch ReaderCatalog.acousticProfiles(in: try content(of: file, section, "profile_file")) {
        case .success(let profiles): return profiles
        case .failure(let failure):
            throw ConfigurationError(place: "\(file):\(failure.line)", reason: failure.reason)
        }
    }
}
