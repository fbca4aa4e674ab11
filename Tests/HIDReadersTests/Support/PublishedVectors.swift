import FoundationEssentials
import ReaderTesting
import Testing

/// Vectors in the tree, and bytes written as hex.
enum PublishedVectors {
    static func load<Value: Decodable>(_ path: String, as type: Value.Type) throws -> Value {
        let file = URL(filePath: Vector.folder + "/" + path)
        return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    }

    static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex)) }
}
