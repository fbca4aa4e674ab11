/// What a driver is called and which devices it takes. The udev rules and the page of supported readers are made
/// from it.
package struct DriverDescriptor: Sendable {
    /// A stable short name: `magtek-magnesafe`.
    package var name: String
    /// What clients see as a reader's kind: `magtek`, `idtech`, `passive`.
    package var kind: String
    package var matches: [DeviceMatch]

    package init(name: String, kind: String, matches: [DeviceMatch]) {
        self.name = name
        self.kind = kind
        self.matches = matches
    }
}

/// One device, or one family, that a driver takes.
package struct DeviceMatch: Sendable, Hashable {
    /// How sure we are that it works.
    package enum Support: Sendable, Hashable {
        /// A published capture or the maker's own document proves the layout.
        case supported(proof: String)
        /// Same protocol by the maker's word; no capture of this model.
        case shouldWork(why: String)
        /// Recognised, never opened; the words tell an operator what to do.
        case unsupported(remedy: String)
    }

    package var bus: DeviceIdentity.Bus
    package var vendorID: UInt16?
    package var productID: UInt16?
    /// The HID usage page that the report descriptor must name, where ids alone are not enough.
    package var usagePage: UInt16?
    /// A usage on that page that an input field must have: tells readers from strangers with the same ids.
    package var usage: UInt16?
    /// The bytes of the longest input report, id not counted: tells readers from strangers with the same ids.
    package var inputBytes: Int?
    package var model: String
    package var support: Support
    package var quirks: Quirks

    package init(
        bus: DeviceIdentity.Bus = .usb, vendorID: UInt16? = nil, productID: UInt16? = nil,
        usagePage: UInt16? = nil, usage: UInt16? = nil, inputBytes: Int? = nil, model: String,
        support: Support, quirks: Quirks = Quirks()
    ) {
        self.bus = bus
        self.vendorID = vendorID
        self.productID = productID
        self.usagePage = usagePage
        self.usage = usage
        self.inputBytes = inputBytes
        self.model = model
        self.support = support
        self.quirks = quirks
    }
}

/// Oddities of one model, as data on its match. Never `if vendor ==`.
package struct Quirks: Sendable, Hashable {
    /// HID: the id of the reports where the descriptor could not be read; 0 means that they have none.
    package var reportID: UInt8
    /// HID: the feature report's size in bytes, id not counted, where the descriptor does not tell it.
    package var featureLength: Int?
    /// A card is pushed in and drawn out; the reader may report twice for it.
    package var isInsertReader: Bool

    package init(reportID: UInt8 = 0, featureLength: Int? = nil, isInsertReader: Bool = false) {
        self.reportID = reportID
        self.featureLength = featureLength
        self.isInsertReader = isInsertReader
    }
}
