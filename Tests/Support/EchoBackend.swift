package import EventServer
package import SwipeProtocol

/// Takes every control, and warns with its name where that may be.
package struct EchoBackend: ServerBackend {
    /// What it says of every reader.
    package static let settings = SettingsInForce(
        type: SettingInForce(.unimag, from: .configuration),
        alwaysAcceptSwipe: SettingInForce(false, from: .set),
        activateOnAttach: SettingInForce(true, from: .configuration),
        volumeToMax: SettingInForce(true, from: .configuration),
        activateWithoutPrompting: SettingInForce(true, from: .set),
        swipeTimeoutSeconds: SettingInForce(5, from: .set),
        promptTimeoutSeconds: SettingInForce(30, from: .configuration))

    package init() {}

    package func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<ControlResult, ErrorReply> {
        switch request {
        case .propertyGet(let name): .success(.property(name: name, value: "echo"))
        case .propertySet(let name, let value): .success(.property(name: name, value: value))
        case .simulate: .success(.swiped(card: "visa"))
        case .reload: .success(.taken())
        case .logLevel(let level): .success(.logLevel(level ?? .info))
        case .get: .success(.settings(EchoBackend.settings))
        case .levels: .success(.levels([]))
        case _: .success(.taken(warning: request.method.rawValue))
        }
    }
}
