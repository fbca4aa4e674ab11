import Foundation
import SwipeProtocol
import Testing

/// Blocks of the pages.
enum PageBlocks {
    /// Something of a page that is no prose.
    struct Example: Sendable, CustomTestStringConvertible {
        let page: String
        let text: String

        var testDescription: String { "\(page): \(text.prefix(60))" }
    }

    static let pages: [(name: String, text: String)] = {
        let folder = BuiltProgram.root.appending(path: "docs")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let files = names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" } + ["README.md"]
        return files.compactMap { name in
            let text = try? String(contentsOf: BuiltProgram.root.appending(path: name), encoding: .utf8)
            return text.map { (name, $0) }
        }
    }()

    /// Blocks between fences, and blocks that are set in by four blanks.
    static let blocks: [Example] = pages.flatMap { page in
        var blocks: [[Substring]] = []
        var isFenced = false
        var isInside = false
        for line in page.text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isFenced.toggle()
                isInside = isFenced
                if isFenced { blocks.append([]) }
            } else if isFenced {
                blocks[blocks.count - 1].append(line)
            } else if line.hasPrefix("    ") {
                if !isInside { blocks.append([]) }
                isInside = true
                blocks[blocks.count - 1].append(line.dropFirst(4))
            } else {
                isInside = false
            }
        }
        return blocks.map { Example(page: page.name, text: $0.joined(separator: "\n")) }
    }
}
