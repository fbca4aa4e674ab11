internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
package import ServiceSupport
internal import SwipeProtocol

/// The gateway as a program: reads its configuration, listens, and runs until a signal ends it.
package enum WebProgram {
    /// Runs until a signal says so.
    package static func run(
        _ options: WebOptions, environment: [String: String], signals: AsyncStream<ServiceSignal>
    ) async -> ExitStatus {
        await WebConfiguration.run(options.service, environment) { configuration, logger in
            try await serve(configuration, options, environment, logger, signals)
        }
    }

    private static func serve(
        _ configuration: WebConfiguration, _ options: WebOptions, _ environment: [String: String],
        _ logger: Logger, _ signals: AsyncStream<ServiceSignal>
    ) async throws -> ExitStatus {
        let sockets = try WebSockets(options, environment)
        let tls = try sockets.tls.isEmpty ? nil : TLS.context(configuration)
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).any()
        let gateway = try await gateway(configuration, on: loop, logger)
        try await listen(at: sockets, tls, Listeners(gateway: gateway, loop: loop))
        logger.info(
            "listening",
            metadata: [
                "event": "web.start", "version": "\(PackageVersion.current)",
                "ports": "\((sockets.plain + sockets.tls).map { "\($0.port)" }.joined(separator: ","))",
            ])
        let notifier = ServiceNotifier(environment: environment)
        notifier.notify(.ready)
        let housekeeping = Housekeeping(
            gateway: gateway, loop: loop, notifier: notifier,
            metrics: MetricsReport(configuration, logger), every: configuration.service.metricsSeconds)
        housekeeping.begin()
        for await _ in signals { break }
        notifier.notify(.stopping)
        try await housekeeping.end()
        logger.info("ended", metadata: ["event": "web.end"])
        return .ok
    }

    private static func gateway(
        _ configuration: WebConfiguration, on loop: any EventLoop, _ logger: Logger
    ) async throws -> NIOLoopBound<Gateway> {
        let kept = TokenFile(folder: configuration.state)
        if !kept.isWritable {
            logger.warning(
                "no page can be paired: [server] state \(configuration.state) is not a folder of the gateway's own",
                metadata: ["event": "web.warning"])
        }
        let (files, missing) = WebFile.read(configuration.files)
        for name in missing {
            logger.warning(
                "\(name) cannot be read; the page is not served", metadata: ["event": "web.no_file"])
        }
        let tokens = try kept.read()
        return try await loop.submit {
            NIOLoopBound(
                Gateway(
                    configuration, files: files, tokens: tokens, loop: loop, logger: logger,
                    save: { kept.write($0) }),
                eventLoop: loop)
        }.get()
    }

    private static func listen(at sockets: WebSockets, _ tls: NIOSSLContext?, _ listeners: Listeners)
        async throws
    {
        for socket in sockets.plain { _ = try await listeners.servePages(at: socket, tls: nil).get() }
        for socket in sockets.tls { _ = try await listeners.servePages(at: socket, tls: tls).get() }
        if let control = sockets.control { _ = try await listeners.serveControl(at: control).get() }
    }
}
