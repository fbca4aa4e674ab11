/// The version of the socket protocol. The one place that holds it.
public enum ProtocolVersion {
    /// What the greeting names. A change that breaks a client raises the number.
    public static let current = "swipe/1"
}

/// The version of this package's programs. The one place in the sources that holds it; debian/changelog has it too.
package enum PackageVersion {
    package static let current = "0.1.0"
}

/// The limits that both sides keep to; `docs/protocol.md` states what happens at each.
public enum ProtocolLimits {
    /// The longest line that a client may send, newline left out, in bytes. An unfinished line counts.
    public static let lineIn = 16_384
    /// The longest line that the daemon sends, newline left out, in bytes.
    public static let lineOut = 65_536
    /// How deep arrays and objects may nest in a line.
    public static let depth = 16
    /// How many reader ids a subscription may name.
    public static let readersNamed = 64
    /// The longest name (reader id, property name, token) in a request, in bytes.
    public static let name = 256
    /// How long a holder has to answer `claim_requested`, in seconds.
    public static let retainSeconds = 1
    /// The shortest and longest time for which a swipe can be requested, in seconds.
    public static let swipeTimeoutSeconds = 3...20
    /// What the gain of a sound input may be set to, in percent of its range.
    public static let gainPercent = 0...100
    /// How many state events the daemon keeps for `since`.
    public static let eventsKept = 1_024
}
