internal import CMosquitto
internal import Glibc
internal import Synchronization
internal import UnixIO

/// The connection to the broker: libmosquitto on a thread of its own, made again whenever it breaks.
///
/// Why a client of libmosquitto's for each connection, and not its own reconnect: it would send again what it had, however old,
/// and with the expiry that it had at first. What waits is the ``Outbox``'s.
final class Broker: Sendable {
    /// What a connection is made with.
    struct Identity: Sendable {
        var settings: BrokerSettings
        var client: String
        var password: String?
        var authority: String?
        var certificate: String?
        var key: String?
        /// The topic of the last will, and what it says.
        var willTopic: String
        var will: [UInt8]
    }

    private struct State {
        /// As a number: the thread's own pointer, lent to who publishes while the lock is held.
        var client: UInt = 0
        var attempt = 0
        var isStopping = false
        /// The attempt that was given up.
        var givenUp = 0
    }

    private let identity: Identity
    private let tell: @Sendable (Int, BrokerNews) -> Void
    private let state = Mutex(State())
    private let wake: WakePipe
    /// Woken where the thread has come to its end.
    private let ended: WakePipe

    /// QoS 1 of everything: at least once; the application drops what it has.
    private static let quality: Int32 = 1
    /// How long the thread waits for the broker before it looks around.
    private static let turn: Int32 = 1_000
    /// What it waits between two looks where libmosquitto does not, in microseconds.
    private static let breath: UInt32 = 10_000
    /// How long to wait for the thread's end, in milliseconds: the resolver may hold it up for longer.
    private static let leave: Int32 = 2_000
    /// Where Debian has the authorities that it trusts, each under its hash.
    private static let authorities = "/etc/ssl/certs"

    /// - Parameter tell: called on the thread, with the connection's number.
    init(
        _ identity: Identity, tell: @escaping @Sendable (Int, BrokerNews) -> Void
    ) throws(WakePipe.Failure) {
        self.identity = identity
        self.tell = tell
        (wake, ended) = (try WakePipe(), try WakePipe())
    }

    /// Why there is no thread; nil where there is.
    func start() -> String? {
        mosquitto_lib_init()
        var thread = pthread_t()
        let broker = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Broker>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, broker.toOpaque())
        guard code == 0 else {
            broker.release()
            return String(cString: strerror(code))
        }
        pthread_detach(thread)
        return nil
    }

    // MARK: From any thread

    /// Hands a message to a connection, while that is the one that there is.
    func publish(_ outgoing: Outbox.Outgoing, on connection: Int) -> Handing {
        withClient(of: connection) { publish(outgoing, by: $0) } ?? .notNow
    }

    private func publish(_ outgoing: Outbox.Outgoing, by client: OpaquePointer) -> Handing {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if let expiry = outgoing.expiry, identity.settings.isVersion5 {
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        var message: Int32 = 0
        let code = outgoing.payload.withUnsafeBytes {
            mosquitto_publish_v5(
                client, &message, outgoing.topic, Int32($0.count), $0.baseAddress, Self.quality,
                outgoing.isRetained, properties)
        }
        if code == Self.success { return .sent(message) }
        return Self.final.contains(code) ? .never : .notNow
    }

    /// What mosquitto_publish_v5(3) says of a message that no other connection would take either.
    private static let final = Set(
        [
            MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_NOT_SUPPORTED, MOSQ_ERR_MALFORMED_UTF8,
            MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_RETAIN_NOT_SUPPORTED,
        ].map { Int32($0.rawValue) })

    func subscribe(_ filter: String) {
        _ = withClient { mosquitto_subscribe_v5($0, nil, filter, Self.quality, 0, nil) }
    }

    func unsubscribe(_ filter: String) {
        _ = withClient { mosquitto_unsubscribe_v5($0, nil, filter, nil) }
    }

    /// Ends this connection, for its broker does not answer what it is told. Its will holds: of MQTT 3.1.1 a leave would take that back,
    /// so none is taken, and the thread lets go at its next turn.
    func giveUp(_ connection: Int) {
        state.withLock { $0.givenUp = connection }
        guard identity.settings.isVersion5 else { return }
        let reason = Int32(MQTT_RC_DISCONNECT_WITH_WILL_MSG.rawValue)
        _ = withClient(of: connection) { mosquitto_disconnect_v5($0, reason, nil) }
    }

    /// Takes leave, so that the broker does not publish the will, but of a connection that was given up, and makes no further connection. Waits for the thread: a program
    /// that ends while libmosquitto works would take its libraries away from under it.
    func stop() {
        let isGivenUp = state.withLock { state in
            state.isStopping = true
            return state.givenUp == state.attempt
        }
        if !isGivenUp { _ = withClient { mosquitto_disconnect_v5($0, 0, nil) } }
        wake.wake()
        var polled = pollfd(fd: ended.readEnd, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, Self.leave)
    }

    /// With the lock held: the thread does not free the client meanwhile. Its callbacks never ask for the lock.
    private func withClient<Result: Sendable>(
        of connection: Int? = nil, _ body: (OpaquePointer) -> Result?
    ) -> Result? {
        state.withLock { state in
            guard connection == nil || connection == state.attempt else { return nil }
            return OpaquePointer(bitPattern: state.client).flatMap(body)
        }
    }

    // MARK: On the thread

    private static let success = Int32(MOSQ_ERR_SUCCESS.rawValue)

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    private func isGivenUp(_ number: Int) -> Bool { state.withLock { $0.givenUp } == number }

    private func run() {
        defer { ended.wake() }
        var pause = ReconnectPause()
        while !isStopping {
            let beginning = ContinuousClock.now
            let number = state.withLock { state in
                state.attempt += 1
                return state.attempt
            }
            let attempt = BrokerAttempt(number, tell: tell)
            var why = connect(attempt)
            if isGivenUp(number) { why = "it does not confirm what it is told" }
            if attempt.isLetIn, .now - beginning >= ReconnectPause.useful { pause.reset() }
            let wait = pause.next(chance: Double.random(in: 0...1))
            tell(number, .lost(why, retryIn: wait))
            if isStopping { return }
            var polled = pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, Int32(clamping: Int64(wait / .milliseconds(1))))
        }
    }

    /// One connection, until it ends: why it did.
    private func connect(_ attempt: BrokerAttempt) -> String {
        let object = Unmanaged.passUnretained(attempt).toOpaque()
        guard let client = mosquitto_new(identity.client, true, object) else {
            return String(cString: strerror(errno))
        }
        defer {
            state.withLock { $0.client = 0 }
            mosquitto_destroy(client)
        }
        BrokerAttempt.listen(to: client)
        var code = prepare(client)
        if code == Self.success {
            // Not the blocking one, which waits for an unreachable broker for minutes.
            code = mosquitto_connect_bind_async(
                client, identity.settings.host, Int32(identity.settings.portInUse),
                Int32(identity.settings.keepAlive), nil)
        }
        // Pending: the connection is being made.
        if code == Int32(MOSQ_ERR_CONN_PENDING.rawValue) { code = Self.success }
        guard code == Self.success else { return attempt.reason(Self.words(code)) }
        state.withLock { $0.client = UInt(bitPattern: client) }
        if isStopping { return Self.words(code) }
        while code == Self.success {
            code = mosquitto_loop(client, Self.turn, 1)
            if attempt.hasNoKeepAlive { usleep(Self.breath) }
            if !identity.settings.isVersion5, isGivenUp(attempt.number) { break }
        }
        let words = Self.words(code)
        return withExtendedLifetime(attempt) { attempt.reason(words) }
    }

    private func prepare(_ client: OpaquePointer) -> Int32 {
        let settings = identity.settings
        let will = identity.will
        var steps: [() -> Int32] = [
            { mosquitto_threaded_set(client, true) },
            {
                mosquitto_int_option(
                    client, MOSQ_OPT_PROTOCOL_VERSION,
                    settings.isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
            },
            { mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1) },
            {
                mosquitto_will_set_v5(
                    client, self.identity.willTopic, Int32(will.count), will, Self.quality, true, nil)
            },
        ]
        if let user = settings.user {
            steps.append { mosquitto_username_pw_set(client, user, self.identity.password) }
        }
        if settings.isTLS { steps.append { self.prepareTLS(client) } }
        for step in steps {
            let code = step()
            if code != Self.success { return code }
        }
        return Self.success
    }

    /// The broker's name is always checked against its certificate.
    private func prepareTLS(_ client: OpaquePointer) -> Int32 {
        if identity.authority == nil {
            let code = mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
            guard code == Self.success else { return code }
        }
        // It wants a place of authorities, also where it was told just now to take the system's.
        let folder = identity.authority == nil ? Self.authorities : nil
        let code = mosquitto_tls_set(
            client, identity.authority, folder, identity.certificate, identity.key, nil)
        guard code == Self.success else { return code }
        return mosquitto_tls_opts_set(client, 1, nil, nil)
    }

    private static func words(_ code: Int32) -> String {
        // Of these libmosquitto 2.0.11 says "Unknown error."
        if code == Int32(MOSQ_ERR_KEEPALIVE.rawValue) { return "it does not answer" }
        if code == Int32(MOSQ_ERR_MALFORMED_PACKET.rawValue) { return "what it says is no MQTT" }
        if code == Int32(MOSQ_ERR_ERRNO.rawValue) { return String(cString: strerror(errno)) }
        return String(cString: mosquitto_strerror(code))
    }
}
