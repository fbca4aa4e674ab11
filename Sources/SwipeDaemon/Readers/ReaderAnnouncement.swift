package import ReaderKit
package import SwipeProtocol

/// Something that happened to one reader, before it is decided which client sees how much of it.
package struct ReaderAnnouncement: Sendable {
    package var reader: AttachedReader
    package var step: ReaderStep
    package var details: ReaderDetails

    package init(reader: AttachedReader, step: ReaderStep, details: ReaderDetails) {
        self.reader = reader
        self.step = step
        self.details = details
    }
}

/// One attachment of one device.
package struct AttachedReader: Sendable, Hashable {
    /// Unique among the readers that are attached now.
    package var id: String
    package var device: DeviceIdentity
    /// What clients see as its kind: `magtek`, `passive`.
    package var kind: String
    /// Counts the attachments of this reader, from 1.
    package var attachment: UInt64
    /// What to do about a device that is recognised and cannot be used; nil for one that can.
    package var remedy: String?
    /// How it is kept from typing while it is open; nil for what does not type.
    package var held: ReaderHold?

    package init(id: String, device: DeviceIdentity, kind: String, attachment: UInt64, remedy: String? = nil)
    {
        self.id = id
        self.device = device
        self.kind = kind
        self.attachment = attachment
        self.remedy = remedy
    }
}
