extension ReportDescriptor {
    /// The usage page of keys (HID Usage Tables, 10).
    private static let keyPage: UInt16 = 0x07

    private var firstKeys: Field? {
        fields.first { $0.kind == .input && $0.usagePage == Self.keyPage }
    }

    /// Whether input reports hold keys.
    package var holdsKeys: Bool { firstKeys != nil }

    /// The number of the first reports that hold keys; nil where reports have none.
    package var keyReportNumber: UInt8? { isNumbered ? firstKeys?.reportID : nil }
}
