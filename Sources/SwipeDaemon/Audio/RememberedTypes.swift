import Glibc
import SwipeProtocol
import SystemPackage

/// The kinds of readers that were found out, one file an input, in the daemon's state folder.
///
/// What is lost with them is a search at the next start: nothing fails where they cannot be written.
struct RememberedTypes: Sendable {
    private static let maximumBytes = 64

    let folder: String

    /// What was found at that input; nil where nothing was, or the file says something else.
    func type(of input: String) -> AudioReaderType? {
        guard let file = try? FileDescriptor.open(FilePath(path(input)), .readOnly, options: .closeOnExec)
        else {
            return nil
        }
        let bytes = try? file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: Self.maximumBytes) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        let word = String(decoding: (bytes ?? []).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let type = AudioReaderType(rawValue: word), type != .autodetect, type != .none else {
            return nil
        }
        return type
    }

    /// Whether it could be written down.
    @discardableResult
    func remember(_ type: AudioReaderType, of input: String) -> Bool {
        let path = path(input)
        let written: Void? = try? {
            let file = try FileDescriptor.open(
                FilePath(path + ".new"), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll((type.rawValue + "\n").utf8) }
        }()
        return written != nil && rename(path + ".new", path) == 0
    }

    /// Section names are letters, digits, '-' and '_'.
    private func path(_ input: String) -> String { "\(folder)/reader-type-\(input)" }
}
