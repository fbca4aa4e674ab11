extension SettingsCatalogue {
    static let virtualKeyboard = [
        SettingDescription(
            "virtual-keyboard", "source", .path, nil,
            "a named pipe; each line written to it is a boot report in hex"),
        layout("virtual-keyboard"),
    ]

    private static func layout(_ section: String) -> SettingDescription {
        SettingDescription(
            section, "layout", .text, "us",
            "the layout that the reader types in, whatever that of the session is: us, uk, de, fr(oss), the path of a keymap, or "
                + "auto, which finds out by a check sum where the reader sends one")
    }
}
