import CardData
package import ReaderKit
import ReaderPackets

/// ID TECH readers with the maker's own HID structure: SecureMag, SecureHead, MiniMag and their kin.
package struct IDTechDriver: ReaderDriver {
    private var details: ReaderDetails
    /// What clients were told last.
    private var told: ReaderDetails
    /// Answers that clients wait for before they hear of the reader: told once, not bit by bit.
    private var openQuestions = 0
    private var dialogue: IDTechDialogue
    /// What packets of the original format do not say.
    private var settings = IDTechSettings()
    /// The size of an input report as the descriptor tells it.
    private let reportLength: Int?
    private let reportID: UInt8

    /// Bytes of the feature report where the descriptor does not tell.
    private static let featureBytes = 8

    /// A reader that answers at all answers the first questions within some milliseconds; one that is mute is ready
    /// without an answer.
    package static var identificationGrace: Duration? { .milliseconds(100) }

    package init(_ device: DeviceIdentity) {
        let descriptor = try? ReportDescriptor(device.reportDescriptor)
        reportID = descriptor?.reportIDs(.input).first ?? 0
        reportLength = descriptor?.byteLength(.input, id: reportID)
        dialogue = IDTechDialogue(frameLength: descriptor?.byteLength(.feature, id: 0) ?? Self.featureBytes)
        details = ReaderDetails(
            model: Self.descriptor.match(device)?.model ?? device.product ?? "ID TECH reader",
            serial: device.serial)
        told = details
    }

    package static var properties: [PropertyDescriptor] { IDTechProperty.all.map(\.descriptor) }

    package mutating func start() -> [DriverAction] {
        for (id, question) in [
            (0x7E, .securityLevel), (0x22, .firmware), (0x4E, .serial), (Self.cipherID, .cipher),
        ]
            as [(UInt8, IDTechDialogue.Question)]
        {
            let exchange = IDTechDialogue.Exchange(command: .read(id), purpose: .question(question))
            openQuestions += dialogue.queue.add(exchange) && question.isIntroduction ? 1 : 0
        }
        return [
            .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
        ]
            + dialogue.begin()
    }

    package mutating func receive(_ input: HIDReport) -> [DriverAction] {
        switch input.kind {
        case .feature: perform(dialogue.answered(input.bytes))
        case .input: swiped(input)
        }
    }

    package mutating func timerFired() -> [DriverAction] { perform(dialogue.timerFired()) }
    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        perform(dialogue.getFailed(error))
    }

    package mutating func commandFailed(_ command: TransportCommand, _ error: DeviceError) -> [DriverAction] {
        if case .setFeature = command {
            dialogue.frameFailed(error)
            return []
        }
        return commandFailed(error)
    }

    package mutating func property(_ request: PropertyRequest) -> [DriverAction] {
        do throws(PropertyError) {
            guard let property = IDTechProperty.all.first(where: { $0.name == request.name }) else {
                throw .unknown
            }
            let command: IDTechCommand
            if let value = request.newValue {
                command = try property.setCommand(value)
            } else {
                command = try property.getCommand
            }
            let exchange = IDTechDialogue.Exchange(
                command: command, purpose: .property(request, property))
            guard dialogue.queue.add(exchange) else { throw .busy }
            return dialogue.begin()
        } catch {
            return [Self.reply(request, .failure(error))]
        }
    }

    private mutating func swiped(_ input: HIDReport) -> [DriverAction] {
        guard input.id == reportID else { return [.signal(.malformed("report with id \(input.id)"))] }
        let lengths = reportLength.map { [$0] } ?? IDTechReport.knownLengths
        guard lengths.contains(input.bytes.count) else {
            let expected = lengths.map(String.init).joined(separator: ", ")
            return [.signal(.malformed("report of \(input.bytes.count) bytes instead of \(expected)"))]
        }
        do throws(IDTechReport.Refusal) {
            switch try IDTechReport.parse(input.bytes, settings: settings) {
            case .packet(let packet, _): return learned(from: packet) + [.signal(.swiped(packet.swipe()))]
            case .clear(let swipe): return [.signal(.swiped(swipe))]
            }
        } catch {
            return [.signal(.malformed(error.sentence))]
        }
    }

    /// Tells what became known.
    private mutating func tellDetails() -> [DriverAction] {
        guard details != told else { return [] }
        told = details
        return [.signal(.identified(details))]
    }

    private mutating func learned(from packet: IDTechPacket) -> [DriverAction] {
        if details.serial == nil { details.serial = packet.serialNumber }
        if packet.isEncrypted { details.encryption = .encrypted }
        return tellDetails()
    }

    private mutating func perform(_ step: IDTechDialogue.Step) -> [DriverAction] {
        switch step {
        case .actions(let actions): actions
        case .concluded(let exchange, let result): concluded(exchange, result)
        }
    }

    private mutating func concluded(
        _ exchange: IDTechDialogue.Exchange, _ result: Result<[UInt8], IDTechDialogue.Failure>
    ) -> [DriverAction] {
        var actions: [DriverAction] = []
        switch exchange.purpose {
        case .question(let question):
            openQuestions -= question.isIntroduction ? 1 : 0
            if case .success(let data) = result { learn(question, data) }
        case .property(let request, let property):
            if case .success(let data) = result { learn(property, request, data) }
            actions.append(Self.reply(request, Self.value(property, request, result)))
        }
        if case .failure(let failure) = result { actions += abandonIfMute(failure) }
        let news = openQuestions == 0 ? tellDetails() : []
        return news + actions + dialogue.begin()
    }

    /// A reader that does not answer at all is not asked on. To stall is an answer.
    private mutating func abandonIfMute(_ failure: IDTechDialogue.Failure) -> [DriverAction] {
        switch failure {
        case .response, .device(.refused): return []
        case .timedOut, .device: break
        }
        openQuestions = 0
        return dialogue.queue.abandonWaiting().compactMap { exchange in
            switch exchange.purpose {
            case .question: nil
            case .property(let request, _): Self.reply(request, .failure(failure.propertyError))
            }
        }
    }

    private mutating func learn(_ question: IDTechDialogue.Question, _ data: [UInt8]) {
        switch question {
        case .firmware: details.firmware = MagTekText.ended(data) ?? details.firmware
        case .serial: details.serial = details.serial ?? MagTekText.serial(IDTechProperty.uncounted(data))
        case .securityLevel:
            guard data.count == 1, (0x30...0x34).contains(data[0]) else { return }
            details.securityLevel = Int(data[0]) - 0x30
            details.encryption = Self.states[Int(data[0]) - 0x30]
            settings.hasSessions = data[0] < 0x34 ? false : nil
        case .cipher: settings.cipher = Self.cipher(data)
        }
    }

    /// Somebody read or changed a setting that packets depend on.
    private mutating func learn(_ property: IDTechProperty, _ request: PropertyRequest, _ data: [UInt8]) {
        // What the maker's settings are is nobody's word.
        if case .action = property.kind { settings.cipher = nil }
        guard property.id == Self.cipherID else { return }
        if case .text(let new)? = request.newValue {
            settings.cipher = Self.cipher(Array(new.utf8))
        } else if request.newValue == nil {
            settings.cipher = Self.cipher(data)
        }
    }

    private static let cipherID: UInt8 = 0x4C

    /// Setting 4C: none, TDES, AES. Without encryption there is no cipher to tell.
    private static func cipher(_ data: [UInt8]) -> IDTechPacket.Cipher? {
        switch data {
        case [0x31]: .tdes
        case [0x32]: .aes
        case _: nil
        }
    }

    /// Setting 7E: exhausted, no key, a key that is not used, encrypting, encrypting after authentication.
    private static let states: [EncryptionState] = [.keyExhausted, .noKey, .clear, .encrypted, .encrypted]

    private static func value(
        _ property: IDTechProperty, _ request: PropertyRequest,
        _ result: Result<[UInt8], IDTechDialogue.Failure>
    ) -> Result<PropertyValue, PropertyError> {
        switch result {
        case .failure(let failure): return .failure(failure.propertyError)
        case .success(let data):
            if let value = request.newValue { return .success(value) }
            do throws(PropertyError) { return .success(try property.decode(data)) } catch {
                return .failure(error)
            }
        }
    }

    private static func reply(
        _ request: PropertyRequest, _ outcome: Result<PropertyValue, PropertyError>
    ) -> DriverAction {
        .signal(.property(PropertyReply(token: request.token, name: request.name, outcome: outcome)))
    }
}
