// WebSockets that send back what they get: NIO's and the gateway's own handlers, and no daemon. What the gateway costs is
// measured beside it, and the rules of WebSocket are tried on it.
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import SwipedWeb

/// Larger than any message that is sent here.
let maximumMessage = 64 * 1024 * 1024

final class Echo: MessageUser {
    private var page: PageChannel?

    func messagesBegin(on page: PageChannel) {
        self.page = page
        page.readOn()
    }

    func message(_ text: ByteBuffer, isBinary: Bool) { page?.send(text, isBinary: isBinary) }

    func messagesPaused() {
        page?.flush()
        page?.readOn()
    }

    func roomChanged() {}
    func refused(_ why: Refusal) {}
    func messagesEnded() { page = nil }
}

func upgrader() -> NIOWebSocketServerUpgrader {
    NIOWebSocketServerUpgrader(
        maxFrameSize: maximumMessage, automaticErrorHandling: false,
        shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
        upgradePipelineHandler: { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try PageChannel.install(
                    in: channel, user: Echo(), maximumMessage: maximumMessage, fragments: 1_000_000)
            }
        })
}

let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let server = try await ServerBootstrap(group: loop)
    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                withServerUpgrade: (upgraders: [upgrader()], completionHandler: { _ in }))
        }
    }
    .bind(host: "127.0.0.1", port: 0).get()
// At once, also into a pipe.
let said = Array("port=\(server.localAddress?.port ?? 0)\n".utf8)
_ = write(STDOUT_FILENO, said, said.count)
try await server.closeFuture.get()
