package import ReaderKit
package import SwipeProtocol

/// What is special about an attachment, in addition to its device and its driver.
package struct AttachmentTerms: Sendable {
    /// How the reader behaves; asked for each session.
    package var options: @Sendable () -> ReaderOptions
    /// The announcement as it is published; nil where it is not published. Must not block.
    package var edit: @Sendable (ReaderAnnouncement) -> ReaderAnnouncement?
    /// Where the attachment's tasks run; nil for where all tasks do. A driver that computes for long must not share it.
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

extension AttachmentTerms {
    /// The same, of a reader that types and is held like that.
    package func holding(_ hold: ReaderHold) -> AttachmentTerms {
        let edit = edit
        return AttachmentTerms(
            options: options,
            edit: { announcement in
                var edited = edit(announcement)
                edited?.reader.held = hold
                return edited
            }, executor: executor)
    }
}
