/// What a card may be used for: three digits after the expiry date (ISO/IEC 7813).
public struct ServiceCode: Sendable, Hashable {
    /// Where the card is good, and whether it has a chip.
    public enum Interchange: UInt8, Sendable, Hashable {
        /// Good everywhere.
        case international = 1
        /// Good everywhere; the chip is to be used where that is possible.
        case internationalWithChip = 2
        /// Good in the issuer's country.
        case national = 5
        /// Good in the issuer's country; the chip is to be used where that is possible.
        case nationalWithChip = 6
        /// Good only by agreement of both sides.
        case privateAgreement = 7
        /// A test card.
        case test = 9
    }

    /// Who says yes.
    public enum Authorisation: UInt8, Sendable, Hashable {
        /// By the usual rules.
        case normal = 0
        /// The issuer, online.
        case issuerOnline = 2
        /// The issuer, online, unless both sides agreed otherwise.
        case issuerOnlineUnlessAgreed = 4
    }

    /// What may be had with it, and whether a PIN is asked for.
    public enum Services: UInt8, Sendable, Hashable {
        /// Anything, with a PIN.
        case anyWithPIN = 0
        /// Anything.
        case any = 1
        /// Goods and services, no cash.
        case goodsAndServices = 2
        /// Cash machines only, with a PIN.
        case cashMachineWithPIN = 3
        /// Cash only.
        case cashOnly = 4
        /// Goods and services, no cash, with a PIN.
        case goodsAndServicesWithPIN = 5
        /// Anything; a PIN where there is a pad.
        case anyPINIfPossible = 6
        /// Goods and services, no cash; a PIN where there is a pad.
        case goodsAndServicesPINIfPossible = 7
    }

    /// The three digits: `101`.
    public let digits: String
    /// The first digit's meaning; nil where the standard gives none.
    public let interchange: Interchange?
    /// The second digit's meaning; nil where the standard gives none.
    public let authorisation: Authorisation?
    /// The third digit's meaning; nil where the standard gives none.
    public let services: Services?

    /// Reads three ASCII digits; nil for anything else.
    public init?(digits: some Collection<UInt8>) {
        guard digits.count == 3, let number = digits.number else { return nil }
        self.digits = String(decoding: digits, as: UTF8.self)
        interchange = Interchange(rawValue: UInt8(number / 100))
        authorisation = Authorisation(rawValue: UInt8(number / 10 % 10))
        services = Services(rawValue: UInt8(number % 10))
    }

    /// Whether each of its digits has a meaning.
    var hasMeaning: Bool { interchange != nil && authorisation != nil && services != nil }

    /// Whether the card has a chip, which a till should use rather than the stripe; nil where the code is unknown.
    public var hasChip: Bool? {
        switch interchange {
        case .internationalWithChip, .nationalWithChip: true
        case .international, .national, .privateAgreement, .test: false
        case nil: nil
        }
    }

    /// The three meanings in words; a digit without a meaning is left out.
    public var meaning: [String] {
        [interchange?.sentence, authorisation?.sentence, services?.sentence].compactMap(\.self)
    }
}

extension ServiceCode.Interchange {
    var sentence: String {
        switch self {
        case .international: "international"
        case .internationalWithChip: "international, with chip"
        case .national: "national"
        case .nationalWithChip: "national, with chip"
        case .privateAgreement: "by agreement only"
        case .test: "test card"
        }
    }
}

extension ServiceCode.Authorisation {
    var sentence: String {
        switch self {
        case .normal: "normal authorisation"
        case .issuerOnline: "authorisation by the issuer online"
        case .issuerOnlineUnlessAgreed: "authorisation by the issuer online unless agreed otherwise"
        }
    }
}

extension ServiceCode.Services {
    var sentence: String {
        switch self {
        case .anyWithPIN: "no restrictions, PIN required"
        case .any: "no restrictions"
        case .goodsAndServices: "goods and services only"
        case .cashMachineWithPIN: "cash machine only, PIN required"
        case .cashOnly: "cash only"
        case .goodsAndServicesWithPIN: "goods and services only, PIN required"
        case .anyPINIfPossible: "no restrictions, PIN where there is a pad"
        case .goodsAndServicesPINIfPossible: "goods and services only, PIN where there is a pad"
        }
    }
}
