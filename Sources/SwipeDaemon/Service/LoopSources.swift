import DeviceIO
import Logging
import NIOCore
import NIOPosix
import ServiceSupport

/// The event loop watches what readers on it wait for.
enum LoopSources {
    /// Nil where the kernel does not allow it: each reader has a thread of its own then, and the log says so.
    static func of(_ loop: any EventLoop, _ logger: Logger) -> SourceLoop? {
        do throws(DeviceLoopError) {
            return try SourceLoop(watch: { watch($0, on: loop, logger) }) { body in loop.execute(body) }
        } catch {
            tell("\(ErrorNumber.words(error.errno))", logger)
            return nil
        }
    }

    /// Not at the start: a daemon without a reader needs none of it.
    private static func watch(_ sources: SourceLoop, on loop: any EventLoop, _ logger: Logger) {
        let wake = sources.wakeDescriptor()
        guard wake >= 0 else {
            tell("no descriptor is left", logger)
            return sources.fail()
        }
        let watched = NIOPipeBootstrap(group: loop)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: roomForAWake))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(WakeHandler(sources))
                }
            }
            .takingOwnershipOfDescriptor(input: wake)
        watched.whenFailure { error in
            tell("\(error)", logger)
            sources.fail()
        }
    }

    private static func tell(_ why: String, _ logger: Logger) {
        logger.notice(
            "readers cannot be waited for on the loop, each has a thread",
            metadata: ["event": "daemon.no_loop_sources", "why": "\(why)"])
    }

    /// More than a wake has: a read that does not fill it is the last one.
    private static let roomForAWake = 64
}

/// Something can be read from a reader.
private final class WakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let sources: SourceLoop

    init(_ sources: SourceLoop) { self.sources = sources }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { sources.turn() }
}
