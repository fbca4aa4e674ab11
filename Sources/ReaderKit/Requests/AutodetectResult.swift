/// What is on a headset jack, as far as sound can tell.
package enum AutodetectResult: String, Sendable, Hashable, CaseIterable {
    case ipsEnterprise = "ips_enterprise"
    case ips, unimag, passive
    /// Nothing answered. Often enough a reader is there all the same.
    case fail
}
