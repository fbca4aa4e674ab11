import Glibc

/// How many descriptors the daemon may have, and how many of them clients.
///
/// Each client needs one. What is kept from clients is for readers, files, the journal and clients that are refused:
/// with none left a reader that is plugged in cannot be opened.
struct DescriptorLimit: Sendable, Hashable {
    /// What is kept from clients: this part, but no less and no more than these, and never more than half.
    static let reservedPart = 8
    static let reserve = 128...1_024

    /// Descriptors in all (RLIMIT_NOFILE).
    let descriptors: Int

    init(descriptors: Int) { self.descriptors = descriptors }

    /// How many clients fit.
    var clients: Int {
        let part = descriptors / Self.reservedPart
        let reserve = min(max(part, Self.reserve.lowerBound), Self.reserve.upperBound)
        return max(1, descriptors - min(reserve, descriptors / 2))
    }

    /// Takes as many as the process may have without asking: shells and containers give 1,024 at first, and more on demand.
    static func raised() -> DescriptorLimit {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return DescriptorLimit(descriptors: 1_024) }
        if limit.rlim_cur < limit.rlim_max {
            var all = limit
            all.rlim_cur = limit.rlim_max
            if setrlimit(kind, &all) == 0 { limit = all }
        }
        return DescriptorLimit(descriptors: Int(clamping: limit.rlim_cur))
    }
}
