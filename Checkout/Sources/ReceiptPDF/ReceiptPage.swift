#if PDF
    internal import CHaru

    /// One page, drawn by libharu. Why libharu: it is small, and has fonts that every reader of PDF files has.
    struct ReceiptPage {
        private let lines: [String]
        private let font: String?

        /// PDF units are 1/72 inch: paper of 80 mm, a margin of 4 mm, letters of Courier's width, 0.6 of their height.
        private static let width: Float = 226.8
        private static let margin: Float = 11.3
        private static let letterWidth: Float = 0.6
        private static let leading: Float = 1.25

        init(_ lines: [String], font: String?) {
            self.lines = lines
            self.font = font
        }

        func bytes() throws(ReceiptPDFError) -> [UInt8] {
            // Without a handler of ours, libharu keeps the first error and does nothing more.
            guard let document = HPDF_New(nil, nil) else { throw .library(UInt(HPDF_FAILD_TO_ALLOC_MEM)) }
            defer { HPDF_Free(document) }
            HPDF_SetCompressionMode(document, UInt32(HPDF_COMP_ALL))
            let letters = try letters(document)
            draw(on: HPDF_AddPage(document), letters)
            HPDF_SaveToStream(document)
            let code = HPDF_GetError(document)
            guard code == UInt(HPDF_OK) else { throw .library(UInt(code)) }
            return try saved(document)
        }

        private func letters(_ document: HPDF_Doc) throws(ReceiptPDFError) -> HPDF_Font? {
            guard let path = font else { return HPDF_GetFont(document, "Courier", "WinAnsiEncoding") }
            HPDF_UseUTFEncodings(document)
            let name = HPDF_LoadTTFontFromFile(document, path, HPDF_BOOL(HPDF_TRUE))
            guard let name, let font = HPDF_GetFont(document, name, "UTF-8") else { throw .font(path) }
            return font
        }

        private func draw(on page: HPDF_Page?, _ letters: HPDF_Font?) {
            let columns = Float(lines.map(\.count).max() ?? 1)
            let size = (Self.width - 2 * Self.margin) / max(columns, 1) / Self.letterWidth
            let height = Float(lines.count) * size * Self.leading + 2 * Self.margin
            HPDF_Page_SetWidth(page, Self.width)
            HPDF_Page_SetHeight(page, height)
            HPDF_Page_BeginText(page)
            HPDF_Page_SetFontAndSize(page, letters, size)
            HPDF_Page_SetTextLeading(page, size * Self.leading)
            HPDF_Page_MoveTextPos(page, Self.margin, height - Self.margin - size)
            for line in lines {
                let bytes = font == nil ? WindowsLatin.bytes(line) : Array(line.utf8)
                let text = (bytes + [0]).map { CChar(bitPattern: $0) }
                HPDF_Page_ShowText(page, text)
                HPDF_Page_MoveToNextLine(page)
            }
            HPDF_Page_EndText(page)
        }

        private func saved(_ document: HPDF_Doc) throws(ReceiptPDFError) -> [UInt8] {
            HPDF_ResetStream(document)
            var size = HPDF_GetStreamSize(document)
            var bytes = [UInt8](repeating: 0, count: Int(size))
            let code = HPDF_ReadFromStream(document, &bytes, &size)
            guard code == UInt(HPDF_OK) || code == UInt(HPDF_STREAM_EOF) else { throw .library(UInt(code)) }
            return Array(bytes.prefix(Int(size)))
        }
    }

    /// Windows code page 1252, PDF's WinAnsiEncoding (ISO 32000-1, annex D).
    enum WindowsLatin {
        static func bytes(_ text: String) -> [UInt8] {
            text.precomposed.map { scalar in
                switch scalar.value {
                case 0x20..<0x7F, 0xA0..<0x100: UInt8(truncatingIfNeeded: scalar.value)
                default: others[scalar] ?? UInt8(ascii: "?")
                }
            }
        }

        private static let others: [Unicode.Scalar: UInt8] = [
            "€": 0x80, "‚": 0x82, "„": 0x84, "…": 0x85, "Š": 0x8A, "Œ": 0x8C, "Ž": 0x8E, "‘": 0x91, "’": 0x92,
            "“": 0x93, "”": 0x94, "•": 0x95, "–": 0x96, "—": 0x97, "š": 0x9A, "œ": 0x9C, "ž": 0x9E, "Ÿ": 0x9F,
        ]
    }

    extension String {
        /// One scalar a letter, where a letter has one; the first one of the others.
        fileprivate var precomposed: [Unicode.Scalar] {
            compactMap { $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first : "?" }
        }
    }
#endif
