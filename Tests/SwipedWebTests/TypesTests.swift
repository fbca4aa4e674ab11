import Foundation
import SwipeProtocol
import TestSupport
import Testing

/// `swiped.d.ts` beside what it describes: the schema's objects, and the classes of `swiped.js`.
@Suite struct TypesTests {
    private static let folder = Programs.root.appending(path: "clients/javascript")
    private let types: String
    private let script: String

    init() throws {
        types = try String(contentsOf: Self.folder.appending(path: "swiped.d.ts"), encoding: .utf8)
        script = try String(contentsOf: Self.folder.appending(path: "swiped.js"), encoding: .utf8)
    }

    @Test(arguments: [
        ("Reader", "reader"), ("Prompt", "prompt"), ("Quality", "quality"), ("Swipe", "swipe"),
        ("Hello", "hello"),
    ])
    func anInterfaceHasTheSchemasMembers(interface: String, definition: String) throws {
        let schema = try JSONReader.value(
            of: Array(Data(contentsOf: Programs.root.appending(path: "docs/swipe-1.schema.json"))))
        var object = try #require(schema.object?["$defs"]?.object?[definition]?.object)
        // What greets is inside an object of one member.
        if let inner = object["properties"]?.object?[definition]?.object { object = inner }
        let required = Set(object["required"]?.array?.compactMap(\.string) ?? [])
        let wanted = try #require(object["properties"]?.object).members.map { member in
            required.contains(member.name) ? member.name : "\(member.name)?"
        }
        let found = Set(try members(of: "interface \(interface)"))
        #expect(
            found == Set(wanted),
            "clients/javascript/swiped.d.ts, \(interface): \(difference(found, Set(wanted)))")
    }

    /// Methods and properties of the class `Swiped`, but for those of its own, whose names begin with `_`.
    @Test func theClassHasTheScriptsMembers() throws {
        let inScript = try block("class Swiped", in: script).components(separatedBy: "\n").compactMap {
            line in
            line.firstMatch(of: #/^  (?:async |get |\*)*([a-z]\w*)(?:\(.*\)| =.*) ?[{;]/#).map {
                String($0.1)
            }
        }
        let assigned = try block("class Swiped", in: script).matches(of: #/this\.([a-z]\w*) = /#).map {
            String($0.1)
        }
        #expect(Set(try members(of: "class Swiped")) == Set(inScript + assigned))
        let exported = { (text: String) in
            Set(text.matches(of: /(?m)^export (?:class|function|const) (\w+)/).map { String($0.1) })
        }
        #expect(exported(types) == exported(script) && exported(types).count >= 3)
    }

    // MARK: TypeScript

    /// The names of a block's members, with `?` where they may be missing. An index signature is none.
    private func members(of head: String) throws -> [String] {
        var depth = 0
        var member = ""
        var found: [String] = []
        let comments = #/\/\*\*.*?\*\//#.dotMatchesNewlines()
        // The end of an arrow closes nothing.
        let text = try block(head, in: types).replacing(comments, with: "").replacing("=>", with: "")
        for character in text {
            if "{(<[".contains(character) { depth += 1 }
            if "})>]".contains(character) { depth -= 1 }
            guard character == ";", depth == 0 else {
                member.append(character)
                continue
            }
            if let match = member.firstMatch(of: #/^\s*(?:readonly )?(\w+\??)\s*[:(<]/#) {
                found.append(String(match.1))
            }
            member = ""
        }
        if let match = member.firstMatch(of: #/^\s*(?:readonly )?(\w+\??)\s*[:(<]/#) {
            found.append(String(match.1))
        }
        return found
    }

    /// What stands between the braces after a head such as `class Swiped`.
    private func block(_ head: String, in text: String) throws -> String {
        let start = try #require(text.firstRange(of: "export \(head) {"))
        var depth = 1
        let body = text[start.upperBound...].prefix { character in
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            return depth > 0
        }
        return String(body)
    }
}
