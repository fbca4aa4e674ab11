import CardData
import ReaderKit

/// The talk with the reader over its feature report.
extension MagTekReader {
    mutating func property(_ request: PropertyRequest) -> [DriverAction] {
        do throws(PropertyError) {
            let exchange = try exchange(for: request)
            guard exchanges.add(exchange) else { throw .busy }
            return nextExchange()
        } catch {
            return [Self.reply(request, .failure(error))]
        }
    }

    private func exchange(for request: PropertyRequest) throws(PropertyError) -> MagTekExchange {
        guard let property = family.properties.first(where: { $0.name == request.name }) else {
            throw .unknown
        }
        guard let value = request.newValue else {
            guard let command = property.getCommand else { throw .refused(reason: "it can only be set") }
            return MagTekExchange(command: command, purpose: .property(request, property))
        }
        let command = try property.setCommand(value)
        if case .setProperty(_, let bytes) = command, bytes.count > featureLength - 3, featureLength > 3 {
            throw .badValue("at most \(featureLength - 3) bytes")
        }
        // The reader would say so as well; it is told here without a round trip to it.
        if property.needsAuthenticationToSet, let level = details.securityLevel, level >= 3 {
            throw .needsAuthentication
        }
        return MagTekExchange(command: command, purpose: .property(request, property))
    }

    /// Begins the next exchange where none is under way.
    mutating func nextExchange() -> [DriverAction] {
        guard let exchange = exchanges.begin() else {
            let isHolding = timerUse == .hold && insertions?.isHolding == true
            guard exchanges.inFlight == nil, !isHolding else { return [] }
            timerUse = .none
            return [.stopTimer]
        }
        return request(exchange.command.bytes, of: exchange)
    }

    private mutating func request(_ bytes: [UInt8], of exchange: MagTekExchange) -> [DriverAction] {
        guard let report = MagTekCommand.padded(bytes, length: featureLength) else {
            exchanges.finish()
            return concluded(exchange, .failure(.noRoom(bytes: featureLength)))
        }
        return [.command(.feature(report, id: reportID))] + awaitAnswer()
    }

    /// The reader answered, or the transport said that it will not.
    mutating func answered(_ answer: Result<[UInt8], DeviceError>) -> [DriverAction] {
        guard var exchange = exchanges.answered() else { return [] }
        let outcome: Result<[UInt8], MagTekExchangeFailure>
        switch answer {
        case .success(let report):
            do throws(MagTekResponse.Refusal) {
                switch try exchange.answered(report) {
                case .send(let bytes):
                    exchanges.update(exchange)
                    return request(bytes, of: exchange)
                case .done(let data): outcome = .success(data)
                }
            } catch {
                outcome = .failure(.response(error))
            }
        case .failure(let error): outcome = .failure(.device(error))
        }
        exchanges.finish()
        return concluded(exchange, outcome)
    }

    /// An exchange is over: tell whoever asked, and go on with the next.
    mutating func concluded(
        _ exchange: MagTekExchange, _ outcome: Result<[UInt8], MagTekExchangeFailure>
    ) -> [DriverAction] {
        var actions: [DriverAction] = []
        switch exchange.purpose {
        case .question(let question):
            if case .success(let data) = outcome { learn(question, data) }
            if question.isIntroduction { openIntroductions -= 1 }
        case .property(let request, let property):
            actions.append(Self.reply(request, value(of: property, request, outcome)))
        }
        if case .failure(let failure) = outcome, !failure.isAnswer { actions += abandonQuestions(failure) }
        let news = openIntroductions == 0 ? tellDetails() : []
        return news + actions + nextExchange()
    }

    /// A reader that does not answer is not asked what else was to be asked; clients that wait are told.
    private mutating func abandonQuestions(_ failure: MagTekExchangeFailure) -> [DriverAction] {
        openIntroductions = 0
        return exchanges.abandonWaiting().compactMap { exchange in
            switch exchange.purpose {
            case .question: nil
            case .property(let request, _):
                Self.reply(request, .failure(failure.propertyError()))
            }
        }
    }

    private mutating func learn(_ question: MagTekExchange.Question, _ data: [UInt8]) {
        switch question {
        case .securityLevel:
            guard data.count == 1 else { return }
            details.securityLevel = Int(data[0])
            if details.encryption != .keyExhausted { details.encryption = Self.state(level: data[0]) }
        case .softwareID: details.firmware = MagTekText.ended(data) ?? details.firmware
        case .serial: details.serial = details.serial ?? MagTekText.serial(data)
        case .isoMask: readerShows = Self.shown(data) ?? readerShows
        case .keyVariant:
            if data.count == 1 { keyVariant = data[0] == 1 ? .data : .pin }
        case .counter:
            if data.count == 19, data.suffix(3).allSatisfy({ $0 == 0 }) { details.encryption = .keyExhausted }
        }
    }

    /// Security levels (99875475): 2 has a key and does not use it, 3 and 4 encrypt. Below 2 there is no key.
    /// ASSUMPTION: 0 and 1 are named in no document at hand for these readers.
    private static func state(level: UInt8) -> EncryptionState {
        switch level {
        case 0, 1: .noKey
        case 2: .clear
        case 3, 4: .encrypted
        default: .unknown
        }
    }

    /// Property 0x07: "LLTTcM", digits shown at the start and at the end.
    private static func shown(_ data: [UInt8]) -> AccountNumber.Shown? {
        guard data.count == 6, data.prefix(4).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let digits = data.prefix(4).map { Int($0) - 0x30 }
        return AccountNumber.Shown(leading: digits[0] * 10 + digits[1], trailing: digits[2] * 10 + digits[3])
    }

    private func value(
        of property: MagTekProperty, _ request: PropertyRequest,
        _ outcome: Result<[UInt8], MagTekExchangeFailure>
    ) -> Result<PropertyValue, PropertyError> {
        switch outcome {
        case .failure(let failure):
            // Below level 3 no reader wants a MAC.
            let isLocked = details.securityLevel.map { $0 >= 3 } ?? true
            let wantsMAC = request.newValue != nil && property.needsAuthenticationToSet && isLocked
            return .failure(failure.propertyError(wantsMAC: wantsMAC))
        case .success(let data):
            if let value = request.newValue { return .success(value) }
            do throws(PropertyError) {
                return .success(try property.decode(data))
            } catch {
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
