import ReaderKit

/// The one prompt that is open, and the numbers of prompts.
struct PromptDesk: Sendable {
    private(set) var open: ReaderPrompt?
    private var lastID = 0

    /// Shows a text in place of what is open; an empty one shows nothing.
    mutating func show(
        _ kind: ReaderPrompt.Kind, _ texts: PromptTexts, expiresIn: Duration? = nil
    ) -> [DriverAction] {
        let text = texts[kind]
        guard !text.isEmpty else { return [] }
        let closed = close(.over)
        lastID += 1
        let prompt = ReaderPrompt(id: lastID, kind: kind, text: text, expiresIn: expiresIn)
        open = prompt
        return closed + [.signal(.promptShown(prompt))]
    }

    mutating func close(_ closure: PromptClosure) -> [DriverAction] {
        guard let prompt = open else { return [] }
        open = nil
        return [.signal(.promptClosed(id: prompt.id, closure))]
    }
}
