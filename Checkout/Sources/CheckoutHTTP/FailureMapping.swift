internal import AsyncHTTPClient
internal import Checkout
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// What an error of the HTTP stack says about the request: which kind of failure, and whether it may have been done.
///
/// Only what happens before a byte of the request is sent counts as "not sent". Everything that is not known here may
/// have happened at any time.
enum FailureMapping {
    /// - Parameter isLate: whether it came later than any connection is made.
    static func error(_ error: any Error, isLate: Bool = false) -> GatewayError {
        switch error {
        case let error as GatewayError: error
        case is NIOConnectionError, is SocketAddressError: GatewayError(.unreachable, .notSent)
        // connect(2) says that. A port that is unreachable later is kept until a write has waited for its last time, a
        // quarter of an hour, and then said by that one: the request may have been done. Others may come at any time.
        case let error as IOError where error.errnoCode == ECONNREFUSED && !isLate:
            GatewayError(.unreachable, .notSent)
        // The handshake comes before the request.
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError: GatewayError(.untrusted, .notSent)
        case let error as HTTPClientError: ofClient(error)
        case is CancellationError: GatewayError(.interrupted, .unknown)
        case is NIOTooManyBytesError: GatewayError(.badAnswer, .unknown)
        default: GatewayError(.connectionLost, .unknown)
        }
    }

    private static func ofClient(_ error: HTTPClientError) -> GatewayError {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            GatewayError(.unreachable, .notSent)
        case .invalidURL, .emptyHost, .emptyScheme, .alreadyShutdown: GatewayError(.badRequest, .notSent)
        case .readTimeout, .writeTimeout, .deadlineExceeded: GatewayError(.timedOut, .unknown)
        case .cancelled: GatewayError(.interrupted, .unknown)
        default: GatewayError(.connectionLost, .unknown)
        }
    }
}
