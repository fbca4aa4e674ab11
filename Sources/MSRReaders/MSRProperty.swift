import ReaderKit

/// What an encoder said of itself at its start. It is asked then and no more: a question would end the read that is pending.
enum MSRProperty: String, CaseIterable {
    case modelCode = "model_code"
    case firmware
    case coercivity
    case leadingZeros = "leading_zeros"
    case bitsPerByte = "bits_per_byte"
    case variants

    static var descriptors: [PropertyDescriptor] {
        allCases.map { PropertyDescriptor(name: $0.rawValue, summary: $0.summary, isWritable: false) }
    }

    private var summary: String {
        switch self {
        case .modelCode: "The one character that it calls its model by"
        case .firmware: "Version of the firmware"
        case .coercivity: "Which coercivity it would write with: high, low. It is asked and never set"
        case .leadingZeros:
            "Leading zeros it would write, on tracks 1 and 3, and on track 2. They are asked and never set"
        case .bitsPerByte: "Bits that a byte of a raw track holds, track by track"
        case .variants: "Ways of its own in which it has answered so far"
        }
    }

    static func reply(to request: PropertyRequest, _ dialogue: MSRDialogue) -> PropertyReply {
        PropertyReply(token: request.token, name: request.name, outcome: outcome(request, dialogue))
    }

    private static func outcome(
        _ request: PropertyRequest, _ dialogue: MSRDialogue
    ) -> Result<PropertyValue, PropertyError> {
        guard let property = Self(rawValue: request.name) else { return .failure(.unknown) }
        guard request.newValue == nil else { return .failure(.readOnly) }
        return property.value(dialogue).map { .success(.text($0)) } ?? .failure(dialogue.whyUnknown)
    }

    private func value(_ dialogue: MSRDialogue) -> String? {
        switch self {
        case .modelCode: if case .model(let code)? = dialogue.facts[.model] { code } else { nil }
        case .firmware: if case .firmware(let text)? = dialogue.facts[.firmware] { text } else { nil }
        case .coercivity:
            if case .coercivity(let word, _)? = dialogue.facts[.coercivity] { word } else { nil }
        case .leadingZeros:
            if case .leadingZeros(let outer, let middle)? = dialogue.facts[.leadingZeros] {
                "\(outer) \(middle)"
            } else {
                nil
            }
        case .bitsPerByte:
            if case .bits(let bits)? = dialogue.facts[.bits] {
                bits.map { "\($0)" }.joined(separator: " ")
            } else {
                nil
            }
        case .variants: dialogue.variants.joined(separator: " ")
        }
    }
}
