extension SettingsCatalogue {
    static let keyboards = [
        SettingDescription(
            "hid", "keyboard_readers", .choice(["none", "known"]), "none",
            "known: keyboards whose ids are those of card readers and of nothing else are taken out of the focus, without a section: "
                + "docs/keyboards.md"),
        SettingDescription(
            "keyboard-reader", "keyboard", .text, nil,
            "its vendor and product id in small letters, as lsusb has them, or bluetoothctl info: c216:0180"),
        SettingDescription(
            "keyboard-reader", "serial", .text, "",
            "its serial number, of a Bluetooth reader its address; empty: whichever has the ids"),
        SettingDescription(
            "keyboard-reader", "port", .text, "",
            "the place that it is plugged into, as swipectl readers shows it, without or with what follows the last '/'; of a "
                + "Bluetooth reader the adapter's address; empty: wherever it is"),
        layout("keyboard-reader"),
        SettingDescription(
            "keyboard-reader", "force", .flag, "no",
            "take it also where it is the only keyboard of the machine, or one device with a mouse"),
        SettingDescription(
            "keyboard-reader", "on_stop", .choice(["type", "silent"]), "type",
            "what it does when the daemon is not there: types into the focus, or nothing; silent needs force = yes, since nobody can get "
                + "it back who types on it, and a configuration without a fault"),
    ]

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
