import ReaderKit
import SwipeProtocol

extension RequestOutcome {
    /// Whether what was in force stays so: the reader is there and refused.
    var keepsSettings: Bool {
        if case .refused(let refusal) = self { refusal.code != .gone } else { false }
    }
}

extension ReaderOptions {
    /// What the configuration says of a reader of that type comes first; nil where it says nothing.
    func firstProfile(for type: AudioReaderType) -> AcousticProfile? {
        switch type {
        case .unimag: profiles(for: .unimag).first
        case .ips: profiles(for: .ips).first
        case .ipsEnterprise: profiles(for: .ipsEnterprise).first
        case .autodetect: profiles.first
        case .passive, .none: nil
        }
    }

    /// With the settings that a client gave.
    func changed(by settings: ReaderSettings) throws(RequestRefusal) -> ReaderOptions {
        var options = self
        options.alwaysAcceptSwipe = settings.alwaysAcceptSwipe ?? alwaysAcceptSwipe
        options.activateOnAttach = settings.activateOnAttach ?? activateOnAttach
        options.volumeToMax = settings.volumeToMax ?? volumeToMax
        options.activateWithoutPrompting = settings.activateWithoutPrompting ?? activateWithoutPrompting
        if let seconds = settings.swipeTimeoutSeconds { try options.setSwipeTimeout(seconds: seconds) }
        return options
    }
}
