package import ServiceSupport

extension Console {
    /// Says what is wrong with a service's configuration, or that it is good.
    ///
    /// - Parameter named: the file, instead of the usual one.
    package static func result<Configuration: ServiceConfiguration>(
        of _: Configuration.Type, _ named: String?
    ) -> ExitStatus {
        do throws(ConfigurationFault) {
            let checked = try Configuration.check(named)
            for warning in checked.warnings { complain(warning) }
            result(
                checked.isThere
                    ? "\(checked.path): the configuration is good\n"
                    : "\(checked.path): there is no such file; the defaults hold\n")
            return .ok
        } catch {
            for line in error.lines { complain(line) }
            return .badConfiguration
        }
    }
}
