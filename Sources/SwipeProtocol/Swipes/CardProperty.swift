import CardData

/// What UnifiedPOS calls a property of a card (UPOS 1.12, MSR, `CardPropertyList`): its name for a driving licence or a
/// bank's card.
enum CardProperty: String, CaseIterable {
    case accountNumber = "AccountNumber"
    case address = "Address"
    case birthDate = "BirthDate"
    case city = "City"
    case vehicleClass = "Class"
    case endorsements = "Endorsements"
    case expirationDate = "ExpirationDate"
    case eyeColor = "EyeColor"
    case firstName = "FirstName"
    case gender = "Gender"
    case hairColor = "HairColor"
    case height = "Height"
    case licenseNumber = "LicenseNumber"
    case middleInitial = "MiddleInitial"
    case postalCode = "PostalCode"
    case restrictions = "Restrictions"
    case serviceCode = "ServiceCode"
    case state = "State"
    case suffix = "Suffix"
    case surname = "Surname"
    case title = "Title"
    case weight = "Weight"

    /// Those that a card has, each with its text.
    static func all(of card: Card) -> [CardInfo.Field] {
        allCases.compactMap { property in
            let text: SensitiveText? =
                switch card {
                case .payment(let payment): property.text(payment)
                case .licence(let licence): property.text(licence)
                case .jis2, .other: nil
                }
            guard let text, !text.revealBytes().isEmpty else { return nil }
            return CardInfo.Field(property.rawValue, text)
        }
    }

    private func text(_ card: PaymentCard) -> SensitiveText? {
        switch self {
        case .accountNumber: card.pan.reveal().map { SensitiveText($0) }
        case .expirationDate: card.expiry.map { SensitiveText($0.yearMonth) }
        case .serviceCode: card.serviceCode.map { SensitiveText($0.digits) }
        case .surname: card.name?.surname.withoutSuffix.name
        case .suffix: card.name?.surname.withoutSuffix.suffix
        case .firstName: card.name?.givenNames?.words.first
        case .middleInitial: card.name?.givenNames?.words.dropFirst().first?.initial
        case .title: card.name?.title
        case .address, .birthDate, .city, .vehicleClass, .endorsements, .eyeColor, .gender, .hairColor,
            .height,
            .licenseNumber, .postalCode, .restrictions, .state, .weight:
            nil
        }
    }

    /// ASSUMPTION: of the parts of a licence's name, the third is a middle name and the fourth a suffix.
    private func text(_ card: DrivingLicence) -> SensitiveText? {
        func part(_ index: Int) -> SensitiveText? {
            card.nameParts.indices.contains(index) ? card.nameParts[index] : nil
        }
        return switch self {
        case .address:
            card.addressLines.isEmpty
                ? nil
                : SensitiveText(
                    utf8: Array(card.addressLines.map { $0.revealBytes() }.joined(separator: [0x20])))
        case .birthDate: card.birthDate
        case .city: card.city
        case .vehicleClass: card.details.map { SensitiveText($0.vehicleClass) }
        case .endorsements: card.details.map { SensitiveText($0.endorsements) }
        case .expirationDate: card.expiry.map { SensitiveText($0.words) }
        case .eyeColor: card.details?.eyes
        case .firstName: part(1)
        case .gender: card.details?.sex
        case .hairColor: card.details?.hair
        case .height: card.details?.height
        case .licenseNumber: card.number
        case .middleInitial: part(2)?.initial
        case .postalCode: card.details?.postalCode
        case .restrictions: card.details.map { SensitiveText($0.restrictions) }
        case .state: card.state.map { SensitiveText($0) }
        case .suffix: part(3)
        case .surname: part(0)
        case .weight: card.details?.weight
        case .accountNumber, .serviceCode, .title: nil
        }
    }
}

extension SensitiveText {
    /// Its words, parted by blanks.
    fileprivate var words: [SensitiveText] {
        revealBytes().split(separator: UInt8(ascii: " ")).map { SensitiveText(utf8: $0) }
    }

    /// ASSUMPTION: a suffix stands after the surname of a payment card, `BUSH JR/GEORGE W.MR`; ISO/IEC 7813 has no field for it.
    fileprivate var withoutSuffix: (name: SensitiveText, suffix: SensitiveText?) {
        let words = words
        guard words.count > 1, let last = words.last, ["JR", "SR", "II", "III", "IV"].contains(last.reveal())
        else { return (self, nil) }
        let rest = words.dropLast().map { $0.revealBytes() }
        return (SensitiveText(utf8: Array(rest.joined(separator: [0x20]))), last)
    }

    fileprivate var initial: SensitiveText { SensitiveText(utf8: revealBytes().prefix(1)) }
}
