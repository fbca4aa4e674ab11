/// What a shell offers while a line is typed.
extension ProgramLine {
    /// Nil where the shell is none that we know.
    func completion(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    /// A name that a function may have.
    private var function: String { "_\(program.map { $0 == "-" ? "_" : "\($0)" }.joined())" }

    private var bash: String {
        let withValue = options.filter { $0.value == .text && !$0.isHidden }.map(\.word)
        let nothing =
            withValue.isEmpty ? "" : "        \(withValue.joined(separator: " | "))) return ;;\n"
        let files = options.filter { $0.value == .file }.map(\.word).joined(separator: " | ")
        return """
            \(function)() {
                local word=${COMP_WORDS[COMP_CWORD]}
                COMPREPLY=()
                case ${COMP_WORDS[COMP_CWORD - 1]} in
                    \(files)) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
            \(nothing)    esac
                mapfile -t COMPREPLY < <(compgen -W '\(shown.map(\.word).joined(separator: " ")) -h' -- "$word")
            }
            complete -o filenames -F \(function) \(program)

            """
    }

    private var zsh: String {
        let specifications = shown.map { option -> String in
            let words = Self.quoted(option.help, escaping: "[]:\\")
            switch option.value {
            case .none where option == Self.showsHelp: return "'(-h --help)'{-h,--help}'[\(words)]'"
            case .none: return "'\(option.word)[\(words)]'"
            case .text, .file:
                let action = option.value == .file ? "_files" : " "
                return "'\(option.isRepeated ? "*" : "")\(option.word)[\(words)]:\(option.name):\(action)'"
            }
        }
        return """
            #compdef \(program)
            \(function)() {
                _arguments -s -S \\
                    \(specifications.joined(separator: " \\\n        "))
            }
            if [[ ${funcstack[1]} = \(function) ]]; then \(function) "$@"; else compdef \(function) \(program); fi

            """
    }

    private var fish: String {
        let lines = shown.map { option in
            let value = option.value == .file ? " -rF" : option.value == .text ? " -x" : ""
            let short = option == Self.showsHelp ? " -s h" : ""
            return
                "complete -c \(program)\(short) -l \(option.name)\(value) -d '\(Self.quoted(option.help, escaping: "\\"))'"
        }
        return (["complete -c \(program) -f"] + lines).map { $0 + "\n" }.joined()
    }

    /// Between single quotes; with a backslash before those characters.
    private static func quoted(_ text: String, escaping characters: String) -> String {
        text.map { $0 == "'" ? "'\\''" : characters.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}
