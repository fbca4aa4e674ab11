import ReaderCatalog
import ReaderKit
import ServiceSupport
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
        options.profiles = try profiles(section, type)
        options.cardFormats = try cardFormats(section)
        let heads = integer(section, "heads")
        guard heads == 1 || type == .passive else {
            throw fault(
                section, "heads", "only a reader of type passive may have several; type is \(type.rawValue)")
        }
        return AudioSetup(
            type: type, options: options, remembersAutodetect: flag(section, "remember_autodetect"),
            rate: integer(section, "rate"), heads: heads, gain: Int(text(section, "gain")))
    }

    func flag(_ section: [String], _ key: String) -> Bool {
        SettingKind.flag(text(section, key)) ?? false
    }

    /// The one profile that is named; without a name those of the file, and the daemon's for the same kinds of readers;
    /// none where neither is given.
    private func profiles(
        _ section: [String], _ type: AudioReaderType
    ) throws(ConfigurationError) -> [AcousticProfile] {
        let file = text(section, "profile_file"), name = text(section, "profile")
        let own = file.isEmpty ? nil : try profileFile(file, section)
        if !name.isEmpty {
            let known = own?.all ?? ReaderCatalog.acousticProfiles
            return [try profile(name, of: known, section, type)]
        }
        guard let own else { return [] }
        let kinds = Set(own.own.map(\.reader))
        guard kinds.contains(where: type.fits) else {
            throw fault(
                section, "profile_file", "\(file) has no profile for a reader of type \(type.rawValue)")
        }
        return own.all.filter { kinds.contains($0.reader) }
    }

    private func profile(
        _ name: String, of known: [AcousticProfile], _ section: [String], _ type: AudioReaderType
    ) throws(ConfigurationError) -> AcousticProfile {
        guard let profile = known.first(where: { $0.name == name }) else {
            let names = known.map(\.name).joined(separator: ", ")
            throw fault(section, "profile", "there is no profile '\(name)'; there are: \(names)")
        }
        guard type.fits(profile.reader) else {
            throw fault(
                section, "profile",
                "'\(name)' is for a reader of type \(profile.reader.rawValue), and type is \(type.rawValue)")
        }
        return profile
    }

    /// The text of the file of card formats; empty where none is named.
    func cardFormats(_ section: [String]) throws(ConfigurationError) -> String {
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
        guard let bytes = FileContent.read(file, maximumBytes: SettingsFile.maximumBytes) else {
            throw fault(section, key, "\(file): it cannot be read")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw fault(section, key, "\(file): it is not UTF-8")
        }
        return text
    }

    private func profileFile(
        _ file: String, _ section: [String]
    ) throws(ConfigurationError) -> ReaderCatalog.ProfileFile {
        switch ReaderCatalog.acousticProfiles(in: try content(of: file, section, "profile_file")) {
        case .success(let profiles): return profiles
        case .failure(let failure):
            throw ConfigurationError(place: "\(file):\(failure.line)", reason: failure.reason)
        }
    }
}

extension AudioReaderType {
    /// Whether a reader of this type may be one of that kind. A search finds out which kind it is; where none is
    /// expected, a client sets it later.
    fileprivate func fits(_ kind: AcousticProfile.Reader) -> Bool {
        switch self {
        case .autodetect, .none: true
        case .unimag: kind == .unimag
        case .ips: kind == .ips
        case .ipsEnterprise: kind == .ipsEnterprise
        case .passive: false
        }
    }
}
