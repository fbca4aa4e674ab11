extension UInt16 {
    /// Four hexadecimal digits, as lists of USB devices and the kernel write a number: `0801`.
    package func usbNumber(inCapitals: Bool = false) -> String {
        let digits = String(self, radix: 16, uppercase: inCapitals)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
