/// swiped.conf(5), in mdoc: every setting of the catalogue, with its default and what may be written.
package enum SettingsPage {
    /// The page; `@DATE@` is where its date goes.
    package static var text: String {
        ([head] + sections.map(section) + [files, example, tail]).joined(separator: "\n") + "\n"
    }

    /// In the order of the catalogue.
    private static var sections: [String] {
        var names: [String] = []
        for setting in SettingsCatalogue.settings where !names.contains(setting.section) {
            names.append(setting.section)
        }
        return names
    }

    private static func section(_ name: String) -> String {
        let isNamed = SettingsCatalogue.namedSections.contains(name)
        let words = introductions[name].map { "\($0)\n" } ?? ""
        let settings = SettingsCatalogue.settings.filter { $0.section == name }
        let heading = isNamed ? ".Ss \"[\(name) NAME]\"" : ".Ss [\(name)]"
        return heading + "\n" + words + ".Bl -tag -width 6n\n" + settings.map(item).joined() + ".El"
    }

    private static func item(_ setting: SettingDescription) -> String {
        let value =
            switch setting.defaultValue {
            case nil: "It must be set."
            case ""?: "Default: empty."
            case let value?: "Default: \(escaped(value))"
            }
        // That a text is to be a text need not be said.
        let allowed = setting.kind == .text ? [] : [sentence(setting.kind.allowed)]
        let lines = [sentence(setting.summary)] + allowed + [value]
        return ".It Cm \(escaped(setting.key))\n" + lines.joined(separator: "\n.br\n") + "\n"
    }

    private static func sentence(_ words: String) -> String {
        escaped(words.prefix(1).uppercased() + words.dropFirst() + ".")
    }

    /// A backslash is a request's beginning to roff, and so are a dot and a quote at the beginning of a line.
    private static func escaped(_ text: String) -> String {
        let text = text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
        return text.first == "." || text.first == "'" ? "\\&" + text : text
    }
}

extension SettingsPage {
    /// What stands before a section's settings; a section without words here is listed all the same.
    private static let introductions = [
        "access": """
        Who gets which view of a swipe. The value of each key is a list of group names,
        .Ql user:NAME
        or
        .Ql * ,
        separated by commas; a user or group that is named under several has all of them. A name that the system does not know gives
        no right to any client, and the log says so;
        .Ql swiped --check-config --strict
        calls it an error. Who may open the socket at all is up to its owner and mode.
        """,
        "audio-reader": """
        A reader at a sound input; a section for each. The daemon opens no sound card that is not named here. What it does
        where there is no jack control, and what is assumed of readers that are powered by tones, is in
        .Pa audio-readers.md
        of the documentation.
        NAME is for the reader of the file: clients know the reader as audio- and ALSA's id of the card.
        """,
        "reader": """
        A name for a reader, which
        .Xr swipectl 1
        takes in place of its id, and clients see as
        .Ql name .
        A section for each. What is at a sound input or on a serial line is called as its own section is, unless a section here
        names it too: by port, two equal sound cards keep their names. Of several sections that fit a reader the first holds; one that another before it
        covers is an error.
        """,
        "serial-reader": """
        A reader on a serial line; a section for each, since a line does not tell what is on it. Clients know the reader as
        serial-NAME. The line is taken while nobody else has it, and its settings are put back when the daemon ends. No audio-reader
        may have the same NAME.
        """,
        "keyboard-reader": """
        A reader that types like a keyboard, taken out of the focus: as long as the daemon runs, its keys go nowhere else. A section
        for each; of several that fit a keyboard the first holds, and one that another before it covers is an error. A keyboard on which a
        person types is given back.
        """,
        "virtual-hid": """
        For tests and demonstrations: a reader of software, which is called virtual-NAME. It is plugged in while its source
        exists. Every event of it is marked as simulated. No two virtual readers, of whichever kind, may have one NAME or one source.
        """,
        "virtual-audio": """
        The same, for sound instead of reports. The settings from type on are those of an audio-reader.
        """,
        "virtual-serial": """
        The same, for a serial line. The reader is sent nothing: what an encoder would be asked is taken as asked.
        """,
        "virtual-keyboard": """
        The same, for a reader that types.
        """,
        "metrics": """
        Counters for Prometheus, without card data.
        """,
    ]

    private static let head = """
        .\\" Generated by scripts/generate
        .Dd @DATE@
        .Dt SWIPED.CONF 5
        .Os
        .Sh NAME
        .Nm swiped.conf
        .Nd configuration of the card reader daemon
        .Sh SYNOPSIS
        .Pa /etc/swiped/swiped.conf
        .Pp
        .Pa /etc/swiped/swiped.conf.d/*.conf
        .Sh DESCRIPTION
        The daemon
        .Xr swiped 8
        reads
        .Pa swiped.conf ,
        then the files of
        .Pa swiped.conf.d
        that end in
        .Pa .conf ,
        in the order of their names, each over the ones before it. Without any file the defaults hold.
        .Pp
        A line is a section in brackets, a setting
        .Ql key = value ,
        or a comment that begins with
        .Ql # .
        An unknown section or key, or a value that is not allowed, is an error: the daemon does not start then (exit status 78),
        or goes on with what it had.
        .Ql swiped --check-config
        finds all such errors and names their lines;
        .Ql systemctl reload swiped
        applies what was changed, but for
        .Cm [server]
        and
        .Cm [metrics] ,
        which take
        .Ql systemctl restart swiped .
        .Sh SETTINGS
        """

    private static let files = """
        .Sh FILES
        .Bl -tag -width 6n
        .It Pa /etc/swiped/swiped.conf
        As installed it has every setting but the virtual readers', commented out, with its default.
        .El
        """

    private static let example = """
        .Sh EXAMPLES
        Members of the group
        .Em tills
        see masked cards, the user
        .Em payments
        sees them in full, and a head is on a headset's jack. As installed, the socket opens to the group
        .Em swiped
        alone, so all of them are members of that too:
        .Bd -literal -offset indent
        [access]
        masked = tills
        full = user:payments

        [audio-reader counter]
        device = hw:CARD=Headset
        .Ed
        """

    private static let tail = """
        .Sh SEE ALSO
        .Xr swipectl 1 ,
        .Xr swiped 8
        """
}
