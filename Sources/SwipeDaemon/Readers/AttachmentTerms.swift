package import ReaderKit

/// What is special about an attachment beside its device and its driver.
package struct AttachmentTerms: Sendable {
    /// How the reader behaves; asked for each session.
    package var options: @Sendable () -> ReaderOptions
    /// What becomes of an announcement; nil where nobody hears of it. Must not block.
    package var edit: @Sendable (ReaderAnnouncement) -> ReaderAnnouncement?
    /// Where the attachment's tasks run; nil for where all tasks do. A driver that takes long must not share it.
    package var executor: (any TaskExecutor)?

    package init(
        options: @escaping @Sendable () -> ReaderOptions = { ReaderOptions() },
        edit: @escaping @Sendable (ReaderAnnouncement) -> ReaderAnnouncement? = { $0 },
        executor: (any TaskExecutor)? = nil
    ) {
        self.executor = executor
        self.options = options
        self.edit = edit
    }
}
