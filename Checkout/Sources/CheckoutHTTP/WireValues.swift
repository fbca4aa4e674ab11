internal import Checkout
internal import FoundationEssentials
internal import NIOCore

/// A body's JSON; nil where it is no such value. Names in snake_case are Swift's where that is said.
func decode<Value: Decodable>(_ type: Value.Type, _ body: ByteBuffer, isSnakeCase: Bool = false) -> Value? {
    let decoder = JSONDecoder()
    if isSnakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    return try? decoder.decode(type, from: Data(body.readableBytesView))
}

/// An amount; nil where it, or its currency, is none.
func money(_ amount: Int?, _ currency: String?) -> Money? {
    guard let amount, let currency = currency.flatMap({ Currency($0) }) else { return nil }
    return Money(minorUnits: amount, currency: currency)
}
