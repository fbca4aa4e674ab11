import CALSA
import Glibc
package import ReaderKit
import SystemPackage

/// The records of volumes and gains that are changed now, one file a card and side, in the daemon's state directory.
///
/// A record is on the disk before a volume is touched, and removed after it was put back. So whatever ends the daemon,
/// a power cut included, the next start knows what to put back.
package enum VolumeRecords {
    private static let suffix = ".state"
    /// More cards than a machine has.
    private static let maximumRecords = 64

    /// Puts back every volume and gain that an earlier run left changed. To be called at the start, before any reader is opened.
    /// A record whose card is not there is kept: it is put back when the card is used again.
    ///
    /// - Returns: what was put back.
    @discardableResult
    package static func restoreAll(in folder: String) async -> [VolumeConfiguration] {
        await onThread {
            names(in: folder).compactMap { name in
                guard let record = read(folder + "/" + name),
                    let side = MixerSide.allCases.first(where: { name.hasPrefix($0.prefix) })
                else { return nil }
                let configuration = VolumeConfiguration(control: record.control, records: folder, side: side)
                guard self.record(configuration) != nil, restoreNow(configuration) == nil else { return nil }
                return configuration
            }
        } ?? []
    }

    /// Puts back the volume of one card.
    ///
    /// - Returns: why it could not be put back; nil where it was, or there is nothing to put back.
    @discardableResult
    package static func restore(_ configuration: VolumeConfiguration) async -> DeviceError? {
        await onThread { restoreNow(configuration) } ?? nil
    }

    /// The same on the caller's thread, which may block.
    @discardableResult
    static func restoreNow(_ configuration: VolumeConfiguration) -> DeviceError? {
        guard let record = record(configuration) else { return nil }
        do throws(DeviceError) {
            try putBack(record, configuration)
            return nil
        } catch {
            return error
        }
    }

    /// Sets what the record tells of, and removes it once the card says that it holds: a mixer may refuse, or another program
    /// hold the volume up. The elements are those of the record, whatever the configuration names by now.
    static func putBack(_ record: VolumeRecord, _ configuration: VolumeConfiguration) throws(DeviceError) {
        var all = configuration
        all.elements = record.settings.map(\.name)
        let mixer = try MixerHandle(all)
        mixer.set(record.settings)
        let card = try MixerHandle(all)
        guard card.has(record.settings) else {
            throw .system(
                errno: EIO,
                operation: "setting the old \(configuration.side.word) of \(configuration.control)")
        }
        remove(configuration)
    }

    static func record(_ configuration: VolumeConfiguration) -> VolumeRecord? { read(path(configuration)) }

    /// Writes the record so that it is there whole or not at all, also after a power cut. The folder may be another user's, and
    /// root may write: no link that is there is followed.
    static func write(_ record: VolumeRecord, _ configuration: VolumeConfiguration) throws(DeviceError) {
        let path = path(configuration)
        do {
            unlink(path + ".new")
            let file = try FileDescriptor.open(
                path + ".new", .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite)
            try file.closeAfter {
                _ = try file.writeAll(record.text.utf8)
                giveAway(file, to: configuration.records)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
            guard rename(path + ".new", path) == 0 else { throw Errno(rawValue: errno) }
            try synchronise(configuration.records)
        } catch {
            let code = (error as? Errno) ?? .ioError
            throw .system(
                errno: code.rawValue, operation: "writing the old \(configuration.side.word) down in \(path)")
        }
    }

    /// What root writes down belongs to whose folder it is: the daemon has to read what a probe left there. Anybody else
    /// cannot give a file away, and writes into folders of their own.
    private static func giveAway(_ file: FileDescriptor, to folder: String) {
        var status = stat()
        guard stat(folder, &status) == 0 else { return }
        _ = fchown(file.rawValue, status.st_uid, status.st_gid)
    }

    static func remove(_ configuration: VolumeConfiguration) {
        unlink(path(configuration))
        try? synchronise(configuration.records)
    }

    private static func synchronise(_ folder: String) throws {
        let directory = try FileDescriptor.open(
            FilePath(folder), .readOnly, options: [.directory, .closeOnExec])
        try directory.closeAfter {
            guard fsync(directory.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    private static func path(_ configuration: VolumeConfiguration) -> String {
        configuration.records + "/" + configuration.side.prefix + ReaderName.plain(configuration.control)
            + suffix
    }

    private static func read(_ path: String) -> VolumeRecord? {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else {
            return nil
        }
        let bytes = try? file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: VolumeRecord.maximumBytes) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        return bytes.flatMap { VolumeRecord(String(decoding: $0, as: UTF8.self)) }
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory), names.count < maximumRecords {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            let isRecord = MixerSide.allCases.contains { name.hasPrefix($0.prefix) }
            if isRecord, name.hasSuffix(suffix) { names.append(name) }
        }
        return names.sorted()
    }

    /// A mixer may block: not on a task's thread. Whatever waits for it has a limit of its own, and the daemon does not end for it.
    /// Nil where the machine has no thread to give.
    static func onThread<Outcome: Sendable>(
        _ work: @escaping @Sendable () -> Outcome
    ) async -> Outcome? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Outcome?, Never>) in
            do throws(DeviceError) {
                try DeviceThread.start("swiped-volume") { pulse in
                    pulse.rest()
                    continuation.resume(returning: work())
                }
            } catch {
                continuation.resume(returning: nil)
            }
        }
    }
}

extension MixerSide {
    /// What it is called by people.
    fileprivate var word: String {
        switch self {
        case .playback: "volume"
        case .capture: "gain"
        }
    }

    fileprivate var prefix: String { word + "-" }
}
