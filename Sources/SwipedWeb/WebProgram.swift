internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import ServiceSupport
internal import SwipeProtocol
internal import UnixSignals

/// The gateway as a program: reads its configuration, listens, and runs until a signal ends it.
package enum WebProgram {
    /// What was read of the configuration: the file, and what an administrator should know of it.
    package struct Checked: Sendable {
        package var file: String
        package var isThere: Bool
        package var warnings: [String]
    }

    /// Why it does not start.
    struct Complaint: Error {
        var words: String
    }

    package static func check(_ options: WebOptions) throws(WebConfigurationFault) -> Checked {
        let (configuration, isThere) = try load(options)
        // A credential of systemd's is there for the service alone.
        let files = [configuration.certificate, configuration.key]
        if files.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("/run/credentials/") }) {
            _ = try TLS.context(configuration)
        }
        return Checked(file: path(options), isThere: isThere, warnings: configuration.warnings)
    }

    private static func path(_ options: WebOptions) -> String {
        options.configurationPath ?? WebConfiguration.path
    }

    static func load(_ options: WebOptions) throws(WebConfigurationFault) -> (WebConfiguration, isThere: Bool)
    {
        let text: String?
        do throws(FileContent.Unreadable) {
            text = try FileContent.configuration(
                options.configurationPath, usual: WebConfiguration.path,
                maximumBytes: WebConfiguration.maximumBytes)
        } catch {
            throw WebConfigurationFault(lines: [error.line])
        }
        guard let text else { return (WebConfiguration(), false) }
        return (try WebConfiguration(text, of: path(options)), true)
    }

    /// Runs until SIGTERM or SIGINT.
    package static func run(_ options: WebOptions, environment: [String: String]) async -> WebExit {
        let isJournal = environment["JOURNAL_STREAM"] != nil && !options.isForeground
        let handler = JournalLogHandler(
            isJournal: isJournal, journal: isJournal ? JournalSocket(program: "swiped-web") : nil)
        var logger = Logger(label: "swiped-web") { _ in handler }
        do {
            let (configuration, _) = try load(options)
            logger.logLevel = Logger.Level(rawValue: configuration.level) ?? .info
            return try await serve(configuration, options, environment, logger)
        } catch let fault as WebConfigurationFault {
            for line in fault.lines {
                logger.error("bad configuration: \(line)", metadata: ["event": "web.bad_configuration"])
            }
            return .badConfiguration
        } catch {
            let words = (error as? Complaint)?.words ?? "\(error)"
            logger.error("cannot start: \(words)", metadata: ["event": "web.failed"])
            return .failure
        }
    }

    private static func serve(
        _ configuration: WebConfiguration, _ options: WebOptions, _ environment: [String: String],
        _ logger: Logger
    ) async throws -> WebExit {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
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
            gateway: gateway, loop: loop, notifier: notifier, configuration: configuration)
        housekeeping.begin(logger)
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
        var warnings = configuration.warnings
        if !kept.isWritable {
            warnings.append(
                "no page can be paired: [server] state \(configuration.state) is not a folder of the gateway's own"
            )
        }
        for warning in warnings { logger.warning("\(warning)", metadata: ["event": "web.warning"]) }
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
