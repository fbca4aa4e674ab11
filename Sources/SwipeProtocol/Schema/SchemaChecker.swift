/// Checks values against the part of JSON Schema 2020-12 that ``ProtocolSchema`` uses. Every line that a test reads from
/// a server or a daemon goes through it.
package struct SchemaChecker {
    private let root: JSONValue

    package init(_ root: JSONValue = ProtocolSchema.document) { self.root = root }

    /// What is wrong with the value; nil when it fits.
    package func complaint(about value: JSONValue) -> String? { check(value, root, at: "$") }

    /// What is wrong with an answer to that method; nil when it fits.
    package func complaint(about result: JSONValue, answering method: Method) -> String? {
        check(result, SchemaParts.named(ProtocolSchema.resultName(of: method)), at: "$.result")
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, at path: String) -> String? {
        guard let rules = schema.object else { return "\(path): the schema is not an object" }
        for rule in rules.members {
            if let complaint = check(value, rule, rules, path) { return complaint }
        }
        return nil
    }

    private func check(
        _ value: JSONValue, _ rule: JSONObject.Member, _ rules: JSONObject, _ path: String
    ) -> String? {
        switch rule.name {
        case "$ref": return checkReference(value, rule.value, path)
        case "const": return value == rule.value ? nil : "\(path): not the constant"
        case "enum": return rule.value.array?.contains(value) == true ? nil : "\(path): not one of the words"
        case "type": return hasType(value, rule.value) ? nil : "\(path): wrong type"
        case "oneOf": return checkAlternatives(value, rule.value.array ?? [], path, maximum: 1)
        case "anyOf": return checkAlternatives(value, rule.value.array ?? [], path, maximum: .max)
        case "required": return checkRequired(value, rule.value.array ?? [], path)
        case "properties", "additionalProperties": return checkMembers(value, rules, path)
        case "items": return checkItems(value, rule.value, path)
        case "minimum":
            return (value.double ?? .infinity) >= (rule.value.double ?? 0) ? nil : "\(path): too small"
        case "maxLength":
            return (value.string?.unicodeScalars.count ?? 0) <= Int(rule.value.integer ?? 0)
                ? nil : "\(path): too long"
        case "maxItems":
            return (value.array?.count ?? 0) <= Int(rule.value.integer ?? 0) ? nil : "\(path): too many"
        case "pattern": return fits(value, rule.value) ? nil : "\(path): not in the right form"
        case "maximum": return (value.double ?? 0) <= (rule.value.double ?? 0) ? nil : "\(path): too large"
        case "$schema", "$id", "$defs", "title", "format": return nil
        // A rule that is not looked at would let everything through.
        case _: return "\(path): the rule '\(rule.name)' is not known"
        }
    }

    /// The two patterns there are; another would have to be added here.
    private func fits(_ value: JSONValue, _ pattern: JSONValue) -> Bool {
        guard let text = value.string else { return true }
        if pattern == SchemaParts.timePattern { return WallTime(text) != nil }
        guard pattern == SchemaParts.hexadecimalPattern else { return false }
        return text.utf8.count.isMultiple(of: 2)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0)
            }
    }

    private func checkReference(_ value: JSONValue, _ reference: JSONValue, _ path: String) -> String? {
        let name = reference.string?.split(separator: "/").last.map(String.init) ?? ""
        guard let target = root.object?["$defs"]?.object?[name] else {
            return "\(path): no definition '\(name)'"
        }
        return check(value, target, at: path)
    }

    private func checkAlternatives(
        _ value: JSONValue, _ schemas: [JSONValue], _ path: String, maximum: Int
    ) -> String? {
        let complaints = schemas.map { check(value, $0, at: path) }
        let fitting = complaints.filter { $0 == nil }.count
        if (1...maximum).contains(fitting) { return nil }
        // The complaint from deepest inside is about the alternative that was meant.
        let deepest = complaints.compactMap { $0 }.max { $0.utf8.count < $1.utf8.count } ?? ""
        return "\(path): fits \(fitting) alternatives; \(deepest)"
    }

    private func checkRequired(_ value: JSONValue, _ names: [JSONValue], _ path: String) -> String? {
        guard let object = value.object else { return nil }
        let missing = names.compactMap(\.string).first { object[$0] == nil }
        return missing.map { "\(path): '\($0)' is missing" }
    }

    private func checkMembers(_ value: JSONValue, _ rules: JSONObject, _ path: String) -> String? {
        guard let object = value.object else { return nil }
        for member in object.members {
            let inside = "\(path).\(member.name)"
            if let schema = rules["properties"]?.object?[member.name] {
                if let complaint = check(member.value, schema, at: inside) { return complaint }
            } else if rules["additionalProperties"] == false {
                return "\(inside): not known"
            } else if let schema = rules["additionalProperties"], schema.object != nil {
                if let complaint = check(member.value, schema, at: inside) { return complaint }
            }
        }
        return nil
    }

    private func checkItems(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> String? {
        for (index, element) in (value.array ?? []).enumerated() {
            if let complaint = check(element, schema, at: "\(path)[\(index)]") { return complaint }
        }
        return nil
    }

    private func hasType(_ value: JSONValue, _ type: JSONValue) -> Bool {
        if let types = type.array { return types.contains { hasType(value, $0) } }
        return switch value {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .integer: type == "integer" || type == "number"
        case .number(let number): type == "number" || type == "integer" && number.integer != nil
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}
