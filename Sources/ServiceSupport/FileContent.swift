internal import Glibc

/// Whole files, as bytes.
package enum FileContent {
    package static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Nil where it cannot be read, or is longer.
    package static func read(_ path: String, maximumBytes: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= maximumBytes {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return nil
    }

    /// What is in a folder, in no order; nil where that cannot be read.
    package static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The text of a configuration. A file that is named must be there; of the usual one, none means that the defaults hold: nil.
    static func configuration(
        _ named: String?, usual: String, maximumBytes: Int
    ) throws(ConfigurationFault) -> String? {
        let path = named ?? usual
        if named == nil, !isThere(path) { return nil }
        guard access(path, R_OK) == 0 else {
            throw ConfigurationFault(lines: [
                "\(path): it cannot be read: \(String(cString: strerror(errno)))"
            ])
        }
        guard let bytes = read(path, maximumBytes: maximumBytes) else {
            throw ConfigurationFault(lines: ["\(path): it is no file, or longer than \(maximumBytes) bytes"])
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationFault(lines: ["\(path): not UTF-8"])
        }
        return text
    }
}
