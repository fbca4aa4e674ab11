import CXKBCommon
import Glibc
import KeyboardReaders
package import ReaderKit

/// Layouts by their names in the system's keyboard data (`/usr/share/X11/xkb`), or out of a keymap of one's own, through libxkbcommon.
/// US, which nearly all readers type in, needs neither.
package enum KeyboardLayouts {
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        package var description: String
    }

    /// Those that `auto` tries, where a check sum can tell.
    static let automatic = ["us", "uk", "de", "fr", "be", "tr"]
    /// A keymap of all keys takes some 60 kB.
    static let largestKeymap = 1 << 20
    private static let evdevOffset: xkb_keycode_t = 8
    private static let keys: ClosedRange<UInt16> = 1...127

    /// - Parameter name: `us`, `uk`, `de`, `fr(oss)`; `auto`; or the path of a keymap.
    package static func options(_ name: String) throws(Failure) -> KeyboardOptions {
        guard name == "auto" else { return KeyboardOptions(layouts: [try layout(name)]) }
        // A system without the keyboard data has US alone.
        return KeyboardOptions(layouts: automatic.compactMap { try? layout($0) })
    }

    package static func layout(_ name: String) throws(Failure) -> KeyboardLayout {
        guard name != "us" else { return .us }
        guard let context = xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES) else {
            throw Failure(description: "the system's keyboard data cannot be read; is xkb-data installed?")
        }
        defer { xkb_context_unref(context) }
        xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
        guard let keymap = name.hasPrefix("/") ? try file(name, context) : system(name, context) else {
            throw Failure(
                description: name.hasPrefix("/")
                    ? "\(name) is no keymap that libxkbcommon reads"
                    : "the system's keyboard data has no layout '\(name)'")
        }
        defer { xkb_keymap_unref(keymap) }
        return KeyboardLayout(name: name, keys: try table(of: keymap))
    }

    /// `de`, or `de(nodeadkeys)`: layout and variant. Nothing else gets to libxkbcommon.
    private static func system(_ name: String, _ context: OpaquePointer) -> OpaquePointer? {
        let parts = name.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-()".contains($0)) }
        guard let first = parts.first, !first.isEmpty, isPlain,
            parts.count == 1 || parts[1].hasSuffix(")")
        else { return nil }
        let layout = first == "uk" ? "gb" : String(first)
        let variant = parts.count == 1 ? "" : String(parts[1].dropLast())
        return "evdev".withCString { rules in
            "pc105".withCString { model in
                layout.withCString { layout in
                    variant.withCString { variant in
                        "".withCString { options in
                            var names = xkb_rule_names(
                                rules: rules, model: model, layout: layout, variant: variant, options: options
                            )
                            return xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
                        }
                    }
                }
            }
        }
    }

    private static func file(_ path: String, _ context: OpaquePointer) throws(Failure) -> OpaquePointer? {
        guard let file = fopen(path, "re") else {
            throw Failure(description: "\(path) cannot be read: error \(errno)")
        }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: largestKeymap + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count <= largestKeymap else { throw Failure(description: "\(path) is larger than 1 MiB") }
        return xkb_keymap_new_from_buffer(
            context, bytes, count, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS)
    }

    // MARK: - What the keys mean

    private static func table(of keymap: OpaquePointer) throws(Failure) -> [UInt16: KeyboardLayout.Key] {
        guard let state = xkb_state_new(keymap) else { throw Failure(description: "out of memory") }
        defer { xkb_state_unref(state) }
        let shift = mask("Shift", keymap)
        let third = mask("Mod5", keymap)
        func symbol(_ code: UInt16, _ mask: xkb_mod_mask_t) -> KeyboardLayout.Symbol {
            xkb_state_update_mask(state, mask, 0, 0, 0, 0, 0)
            return Self.symbol(xkb_state_key_get_one_sym(state, xkb_keycode_t(code) + evdevOffset))
        }
        var keys: [UInt16: KeyboardLayout.Key] = [:]
        for code in Self.keys {
            let key = withCases(
                KeyboardLayout.Key(
                    symbol(code, 0), symbol(code, shift), symbol(code, third), symbol(code, shift | third)))
            if key != KeyboardLayout.Key(.none, .none) { keys[code] = key }
        }
        return keys
    }

    private static func mask(_ name: String, _ keymap: OpaquePointer) -> xkb_mod_mask_t {
        let index = xkb_keymap_mod_get_index(keymap, name)
        return index < 32 ? 1 << index : 0
    }

    /// Dead keys of marks that ASCII has (xkbcommon-keysyms.h).
    private static let dead: [xkb_keysym_t: UInt8] = [
        0xFE50: UInt8(ascii: "`"), 0xFE52: UInt8(ascii: "^"), 0xFE53: UInt8(ascii: "~"),
    ]

    private static func symbol(_ keysym: xkb_keysym_t) -> KeyboardLayout.Symbol {
        if let mark = dead[keysym] { return .dead(mark) }
        let scalar = xkb_keysym_to_utf32(keysym)
        return (0x20..<0x7F).contains(scalar) ? .character(UInt8(scalar)) : .none
    }

    /// A letter whose other case is outside ASCII, as the Turkish I without a dot has: readers that invert shift send it, and mean
    /// the letter.
    private static func withCases(_ key: KeyboardLayout.Key) -> KeyboardLayout.Key {
        var key = key
        if case .character(let letter) = key.shifted, (0x41...0x5A).contains(letter), key.plain == .none {
            key.plain = .character(letter + 0x20)
        }
        if case .character(let letter) = key.plain, (0x61...0x7A).contains(letter), key.shifted == .none {
            key.shifted = .character(letter - 0x20)
        }
        return key
    }
}
