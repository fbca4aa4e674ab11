/// How a sandbox is to run.
package struct SandboxOptions: Sendable {
    /// Where to listen; port 0 for any that is free.
    package var host = "127.0.0.1"
    package var port = 0
    /// The database's file; nil for memory.
    package var database: String?
    /// A certificate chain and its key, as PEM files; nil for plain HTTP.
    package var certificate: (chain: String, key: String)?
    /// How long a slow card is processing.
    package var slowSeconds = 1.0
    /// A file without which it goes on processing; nil for none.
    package var slowUntil: String?
    /// For how many seconds idempotency keys are remembered.
    package var keySeconds = 86_400.0
    /// Whether a transaction is charged as often as somebody asks, as no service should.
    package var takesManyCharges = false
    /// What goes wrong.
    package var faults = FaultPlan.none

    package init() {}
}
