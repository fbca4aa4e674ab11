/// What the keys of a keyboard mean: the layout that a reader that types was made or set for, whatever that of the session is.
package struct KeyboardLayout: Sendable, Hashable {
    /// What a key makes of a text.
    package enum Symbol: Sendable, Hashable {
        /// Nothing, or a character that no reader sends.
        case none
        /// A character of ASCII.
        case character(UInt8)
        /// The same, which only the next key brings forth: with a blank behind it, alone.
        case dead(UInt8)
    }

    /// A key's symbols, by what is held with it.
    package struct Key: Sendable, Hashable {
        package var plain: Symbol
        package var shifted: Symbol
        /// With AltGr.
        package var third: Symbol
        package var thirdShifted: Symbol

        package init(
            _ plain: Symbol, _ shifted: Symbol, _ third: Symbol = .none, _ thirdShifted: Symbol = .none
        ) {
            self.plain = plain
            self.shifted = shifted
            self.third = third
            self.thirdShifted = thirdShifted
        }
    }

    package var name: String
    /// By Linux' code. The keys of the keypad, Enter and the like are the same everywhere, and need not stand here.
    package var keys: [UInt16: Key]

    package init(name: String, keys: [UInt16: Key]) {
        self.name = name
        self.keys = keys
    }
}

/// How a reader that types is understood.
package struct KeyboardOptions: Sendable, Hashable {
    /// The first is the reader's; a further one takes its place where a check sum proves that. Empty: US.
    package var layouts: [KeyboardLayout]

    package init(layouts: [KeyboardLayout] = []) { self.layouts = layouts }
}
