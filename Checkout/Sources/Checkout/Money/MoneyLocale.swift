/// How amounts are written in a country.
///
/// Why a table and not the system's locales: those come with ICU, tens of megabytes for two separators and a place.
public struct MoneyLocale: Sendable, Hashable {
    /// The locale's name, `de_CH`.
    public let name: String
    private let style: Style

    private struct Style: Sendable, Hashable {
        var decimal: String
        var group: String
        /// Whether the sign stands before the amount, and what stands between them.
        var signIsFirst: Bool
        var gap: String
    }

    /// The locale with that name, as in `LANG`: `de_CH.UTF-8`, `de-CH`, `de`. Unknown countries are written as their
    /// language is elsewhere; unknown languages, `C` and `POSIX` as `en_US`.
    public init(_ name: String) {
        let bare = name.prefix { $0 != "." && $0 != "@" }.map { $0 == "-" ? "_" : $0 }
        let wanted = String(bare)
        let language = String(wanted.prefix { $0 != "_" })
        self.name = wanted
        style = Self.styles[wanted] ?? Self.styles[language] ?? Self.english
    }

    /// The amount with its currency: `€4.40`, `4,40 €`, `CHF 4.40`.
    public func text(_ money: Money) -> String { text(money, sign: money.currency.sign) }

    /// The same for a screen that shows nothing but ASCII: `EUR 4.40`, `4,40 EUR`.
    public func plainText(_ money: Money) -> String {
        let sign = money.currency.sign
        let text = text(money, sign: sign.utf8.allSatisfy { $0 < 0x80 } ? sign : money.currency.code)
        return String(text.map { $0.isASCII ? $0 : $0 == "’" ? "'" : " " })
    }

    private func text(_ money: Money, sign: String) -> String {
        let amount = money.digits(decimal: style.decimal, group: style.group)
        guard style.signIsFirst else { return amount + Self.noBreak + sign }
        // Letters need room in every language.
        let isWord = sign.allSatisfy { $0.isLetter }
        return sign + (style.gap.isEmpty && isWord ? Self.noBreak : style.gap) + amount
    }

    private static let noBreak = "\u{A0}"
    private static let narrow = "\u{202F}"
    private static let english = Style(decimal: ".", group: ",", signIsFirst: true, gap: "")
    private static let point = Style(decimal: ",", group: ".", signIsFirst: false, gap: noBreak)
    private static let space = Style(decimal: ",", group: noBreak, signIsFirst: false, gap: noBreak)

    /// Unicode CLDR 45, standard currency patterns, by language or language and country.
    private static let styles: [String: Style] = [
        "en": english, "ja": english, "zh": english, "ko": english, "he": english, "th": english,
        "de": point, "es": point, "it": point, "da": point, "el": point, "tr": point, "ro": point,
        "hr": point,
        "sl": point, "pt": space, "fr": Style(decimal: ",", group: narrow, signIsFirst: false, gap: noBreak),
        "sv": space, "nb": space, "no": space, "fi": space, "pl": space, "cs": space, "sk": space,
        "hu": space,
        "bg": space, "uk": space, "ru": space, "et": space, "lv": space, "lt": space,
        "nl": Style(decimal: ",", group: ".", signIsFirst: true, gap: noBreak),
        "pt_BR": Style(decimal: ",", group: ".", signIsFirst: true, gap: noBreak),
        "de_AT": Style(decimal: ",", group: noBreak, signIsFirst: true, gap: noBreak),
        "de_CH": Style(decimal: ".", group: "’", signIsFirst: true, gap: noBreak),
        "fr_CH": Style(decimal: ",", group: narrow, signIsFirst: false, gap: noBreak),
        "it_CH": Style(decimal: ".", group: "’", signIsFirst: true, gap: noBreak),
        "es_MX": english, "es_US": english,
    ]
}
