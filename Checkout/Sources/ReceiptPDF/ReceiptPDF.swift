public import Receipts

/// Why there is no PDF.
public enum ReceiptPDFError: Error, Sendable, Hashable, CustomStringConvertible {
    /// This program was built without it: build it with `--traits PDF`.
    case notBuiltIn
    /// The font cannot be read, or is none.
    case font(String)
    /// libharu failed, with this code of its manual.
    case library(UInt)

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .notBuiltIn: "this program makes no PDF: build it with 'swift build --traits PDF'"
        case .font(let path):
            "\(path) cannot be used as a font: name a TrueType file whose letters are equally wide"
        case .library(let code): "the PDF cannot be made: libharu says 0x\(String(code, radix: 16))"
        }
    }
}

/// Receipts as PDF files: one page of 80 mm, as long as it has to be.
public enum ReceiptPDF {
    #if PDF
        /// Whether this program makes them.
        public static let isBuiltIn = true
    #else
        /// Whether this program makes them.
        public static let isBuiltIn = false
    #endif

    /// The file's bytes.
    ///
    /// - Parameters:
    ///   - text: the receipt's lines.
    ///   - font: a TrueType file, which is embedded; without one the letters of Western Europe are there, and others become
    ///     question marks.
    public static func bytes(_ text: ReceiptText, font: String? = nil) throws(ReceiptPDFError) -> [UInt8] {
        #if PDF
            return try ReceiptPage(text.lines, font: font).bytes()
        #else
            throw .notBuiltIn
        #endif
    }
}
