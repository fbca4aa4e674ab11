import Glibc

/// What the environment says of the terminal.
enum Screen {
    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// https://no-color.org, and terminals without.
    static var hasColour: Bool { environment("NO_COLOR") == nil && environment("TERM") != "dumb" }

    /// Whether lines can be drawn over; a teletype, or whatever calls itself dumb, gets one line after the other.
    static var hasControl: Bool { environment("TERM").map { $0 != "dumb" } ?? false }

    /// How wide the terminal of a descriptor is; 80 where it does not say.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    /// Where a program keeps what it must know again (XDG Base Directory Specification 0.8).
    static var stateFolder: String? {
        environment("XDG_STATE_HOME").map { $0 + "/till" }
            ?? environment("HOME").map { $0 + "/.local/state/till" }
    }

    /// The locale's character set, in the order in which setlocale(3) looks.
    static var hasUnicode: Bool {
        let name = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") ?? "C"
        return name.uppercased().contains("UTF-8") || name.uppercased().contains("UTF8")
    }

    /// The locale for amounts.
    static var moneyLocale: String {
        environment("LC_ALL") ?? environment("LC_MONETARY") ?? environment("LANG") ?? "C"
    }

    static func variable(_ name: String) -> String? { environment(name) }
}
