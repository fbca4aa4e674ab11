/// What a person at a terminal is told.
extension ProgramLine {
    private static let width = 80
    private static let column = 26

    var usage: String { (["Usage: \(program)"] + ownUsage).joined(separator: " ") }

    /// After a fault.
    func words(for fault: UsageFault) -> String {
        "Error: \(fault.words)\n\(usage)\n  See '\(program) --help' for more information.\n"
    }

    var help: String {
        let usage = (["USAGE: \(program)"] + ownUsage).joined(separator: " ")
        let paragraphs = ["OVERVIEW: \(abstract)", discussion, "Exit status: \(statuses)."].map {
            Self.lines($0, width: Self.width).joined(separator: "\n")
        }
        return (paragraphs + [usage, "OPTIONS:\n" + shown.map(Self.help).joined()]).joined(separator: "\n\n")
    }

    /// Version and help are everybody's, and go without saying.
    private var ownUsage: [String] {
        options.filter { !$0.isHidden }.map { option in
            option.value == .none
                ? "[\(option.word)]"
                : "[\(option.word) <\(option.name)>\(option.isRepeated ? " ..." : "")]"
        }
    }

    private static func help(_ option: Option) -> String {
        let word = option == showsHelp ? "-h, --help" : option.word
        let head = "  " + (option.value == .none ? word : "\(word) <\(option.name)>")
        var lines = lines(option.help, width: width - column)
        let room = column - head.utf8.count
        let first = room > 1 ? head + String(repeating: " ", count: room) + lines.removeFirst() : head
        let indent = String(repeating: " ", count: column)
        return ([first] + lines.map { indent + $0 }).map { $0 + "\n" }.joined()
    }

    /// At most so wide, cut between words.
    private static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// The first part of its page of the manual, mdoc(7); what follows is in docs/man/sections.
    var manualPage: String {
        var lines = [
            ".\\\" Made by scripts/generate", ".Dd @DATE@", ".Dt \(program.uppercased()) 8", ".Os",
            ".Sh NAME", ".Nm \(program)",
            ".Nd \"\(abstract.last == "." ? abstract.dropLast() : abstract[...])\"",
            ".Sh SYNOPSIS", ".Nm",
        ]
        lines += shown.map { ".Op Fl -\($0.name)\(Self.argument($0))" }
        lines += [".Sh DESCRIPTION", discussion, ".Bl -tag -width 6n"]
        for option in shown {
            let word = option == Self.showsHelp ? "h , -help" : "-\(option.name)"
            lines += [".It Fl \(word)\(Self.argument(option))", option.help]
        }
        return (lines + [".El"]).map { $0 + "\n" }.joined()
    }

    private static func argument(_ option: Option) -> String {
        option.value == .none ? "" : " Ar \(option.name)\(option.isRepeated ? "..." : "")"
    }
}
