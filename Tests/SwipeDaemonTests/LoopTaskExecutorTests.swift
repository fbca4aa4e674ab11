import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import SwipeDaemon

@Suite struct LoopTaskExecutorTests {
    /// Far more than the loop does before it looks at its sockets.
    private static let mostYields = 300_000

    /// A session with many inputs yields after each; who else is on the loop is heard meanwhile.
    @Test func socketsAreLookedAtBetweenJobs() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let write = ends[1]
        let isHeard = NIOLockedValueBox(false)
        let channel = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Hearer(isHeard))
                }
            }
            .takingOwnershipOfDescriptor(input: ends[0]).get()
        let yields = await Task(executorPreference: LoopTaskExecutor(loop)) {
            var byte: UInt8 = 1
            _ = Glibc.write(write, &byte, 1)
            var yields = 0
            while yields < Self.mostYields, !isHeard.withLockedValue({ $0 }) {
                yields += 1
                await Task.yield()
            }
            return yields
        }.value
        #expect(yields < Self.mostYields)
        close(write)
        try? await channel.close().get()
        try await group.shutdownGracefully()
    }

    /// Nothing is left behind, and what one task does stays in its order.
    @Test func everyJobIsRunInOrder() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let executor = LoopTaskExecutor(group.next())
        let counts = await withTaskGroup(of: [Int].self) { tasks in
            for task in 0..<20 {
                tasks.addTask(executorPreference: executor) {
                    var seen: [Int] = []
                    for step in 0..<500 {
                        seen.append(step &+ task)
                        await Task.yield()
                    }
                    return seen
                }
            }
            return await tasks.reduce(into: [[Int]]()) { $0.append($1) }
        }
        #expect(counts.count == 20)
        for seen in counts { #expect(seen.count == 500 && seen == seen.sorted()) }
        try await group.shutdownGracefully()
    }
}

private final class Hearer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let isHeard: NIOLockedValueBox<Bool>

    init(_ isHeard: NIOLockedValueBox<Bool>) { self.isHeard = isHeard }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { isHeard.withLockedValue { $0 = true } }
}
