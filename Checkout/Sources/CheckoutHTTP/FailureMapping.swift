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
    static func error(_ error: any Error) -> GatewayError {
        switch error {
        case let error as GatewayError: error
        case is NIOConnectionError, is SocketAddressError: GatewayError(.unreachable, .notSent)
        // Only connect(2) says that; every other number may come at any time.
        case let error as IOError where error.errnoCode == ECONNREFUSED: GatewayError(.unreachable, .notSent)
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
