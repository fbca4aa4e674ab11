internal import CMosquitto
internal import Synchronization

/// One connection to the broker, as libmosquitto's callbacks see it: on the thread that runs it.
final class BrokerAttempt {
    let number: Int
    private let tell: (Int, BrokerNews) -> Void
    /// Why the broker did not let it in.
    private var refusal: String?
    private(set) var isLetIn = false
    private var hasRefusedToListen = false
    /// The broker wants no pings (MQTT 5, 3.2.2.3.14: 0): libmosquitto 2.0.11 then never waits in its loop.
    private(set) var hasNoKeepAlive = false
    /// The first error that libmosquitto has written to its log: it says more than its code. Who publishes may cause one too.
    private let logged = Mutex<String?>(nil)

    /// What is read of a message that is not ours: more is cut off, and no command then.
    static let maximumPayload = 16_384
    /// MQTT 5, 2.4: reason codes from here on are failures.
    private static let firstFailure: Int32 = 0x80

    init(_ number: Int, tell: @escaping (Int, BrokerNews) -> Void) {
        self.number = number
        self.tell = tell
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> BrokerAttempt? {
        pointer.map { Unmanaged<BrokerAttempt>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets the callbacks of a client whose object is an attempt.
    static func listen(to client: OpaquePointer) {
        mosquitto_connect_v5_callback_set(client) { _, object, code, _, properties in
            BrokerAttempt.of(object)?.answered(code, properties)
        }
        mosquitto_publish_v5_callback_set(client) { _, object, message, reason, _ in
            guard let attempt = BrokerAttempt.of(object) else { return }
            attempt.tell(
                attempt.number, .settled(message, isRefused: reason >= BrokerAttempt.firstFailure))
        }
        mosquitto_message_v5_callback_set(client) { _, object, message, _ in
            guard let attempt = BrokerAttempt.of(object), let message = message?.pointee,
                let topic = message.topic
            else {
                return
            }
            let count = max(0, min(Int(message.payloadlen), BrokerAttempt.maximumPayload))
            let payload = UnsafeRawBufferPointer(start: message.payload, count: count)
            attempt.tell(
                attempt.number,
                .received(
                    topic: String(cString: topic), payload: Array(payload), isRetained: message.retain))
        }
        listenForFaults(of: client)
    }

    private static func listenForFaults(of client: OpaquePointer) {
        mosquitto_subscribe_v5_callback_set(client) { _, object, _, count, granted, _ in
            guard let attempt = BrokerAttempt.of(object), let granted, count > 0 else { return }
            let answers = UnsafeBufferPointer(start: granted, count: Int(count))
            guard answers.contains(where: { $0 >= BrokerAttempt.firstFailure }) else { return }
            attempt.subscriptionIsRefused()
        }
        mosquitto_log_callback_set(client) { _, object, level, text in
            guard level == MOSQ_LOG_ERR, let attempt = BrokerAttempt.of(object), let text else { return }
            attempt.logged.withLock { $0 = $0 ?? String(cString: text) }
        }
    }

    /// Why it ended, in words.
    ///
    /// - Parameter words: those of libmosquitto's code.
    func reason(_ words: String) -> String {
        refusal ?? logged.withLock { logged in logged.map { "\(words) \($0)" } } ?? words
    }

    private func answered(_ code: Int32, _ properties: OpaquePointer?) {
        guard code == 0 else {
            refusal = "the broker says: \(String(cString: Self.words(code)))"
            return
        }
        // Who says it again and again is no broker that means well: it must cost neither memory nor a new beginning each time.
        guard !isLetIn else { return }
        isLetIn = true
        var seconds: UInt16 = 1
        let kind = Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue)
        hasNoKeepAlive =
            mosquitto_property_read_int16(properties, kind, &seconds, false) != nil && seconds == 0
        tell(number, .connected)
    }

    /// Once says all: a broker may answer what it was not asked, and as often as it likes.
    private func subscriptionIsRefused() {
        guard !hasRefusedToListen else { return }
        hasRefusedToListen = true
        tell(number, .subscriptionRefused)
    }

    /// Codes below 128 are those of MQTT 3.1.1.
    private static func words(_ code: Int32) -> UnsafePointer<CChar> {
        code < firstFailure ? mosquitto_connack_string(code) : mosquitto_reason_string(code)
    }
}
