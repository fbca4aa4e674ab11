/// A currency of ISO 4217.
public struct Currency: Sendable, Hashable, CustomStringConvertible {
    /// Three letters: `EUR`.
    public let code: String
    /// How many digits the minor unit has: 2 for cents, 0 for yen, 3 for fils.
    public let minorDigits: Int

    /// The currency with that code, in any case; nil where ISO 4217 has none.
    public init?(_ code: String) {
        let upper = code.uppercased()
        guard upper.utf8.count == 3, Self.codes.contains(upper) else { return nil }
        self.init(known: upper)
    }

    private init(known code: String) {
        self.code = code
        minorDigits = Self.unusualMinorDigits[code] ?? 2
    }

    /// The code.
    public var description: String { code }

    /// Euro.
    public static let eur = Currency(known: "EUR")
    /// US dollar.
    public static let usd = Currency(known: "USD")
    /// Pound sterling.
    public static let gbp = Currency(known: "GBP")
    /// Yen, which has no minor unit.
    public static let jpy = Currency(known: "JPY")

    /// How people write it; the code where there is no sign of its own.
    public var sign: String { Self.signs[code] ?? code }

    /// ISO 4217:2015 with amendments up to 176, currencies in use; no funds, metals or tests.
    private static let codes = Set(
        """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
        CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG
        HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL
        MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR
        RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD
        TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
        """.split { $0 == " " || $0 == "\n" }.map(String.init))

    private static let unusualMinorDigits: [String: Int] = [
        "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0,
        "UGX": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
        "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
    ]

    /// Signs that are unmistakable in any country; `$` is the US dollar's here, the others keep their code.
    private static let signs = [
        "EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "KRW": "₩", "ILS": "₪", "TRY": "₺",
        "UAH": "₴",
        "VND": "₫", "PLN": "zł", "CZK": "Kč",
    ]
}
