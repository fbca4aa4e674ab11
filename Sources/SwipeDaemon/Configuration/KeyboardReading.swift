import KeyboardLayouts
import ReaderKit

/// The settings of readers that type.
extension ConfigurationReading {
    /// - Parameter before: what the sections before it take.
    func keyboardReader(
        _ name: String, _ before: inout [DaemonConfiguration.KeyboardReader]
    ) throws(ConfigurationError) -> DaemonConfiguration.KeyboardReader {
        let section = ["keyboard-reader", name]
        _ = try required(section, "keyboard")
        let (vendor, product) = try ids(section, "keyboard")
        let isSilent = text(section, "on_stop") == "silent"
        // What root has inhibited, the daemon cannot give back to a person.
        guard !isSilent || flag(section, "force") else {
            throw fault(
                section, "on_stop",
                "on_stop = silent needs force = yes: the daemon cannot give such a keyboard back")
        }
        let reader = DaemonConfiguration.KeyboardReader(
            name: name, vendorID: vendor, productID: product, serial: text(section, "serial"),
            port: text(section, "port"), isForced: flag(section, "force"), isSilent: isSilent,
            options: try keyboardOptions(section))
        let other = before.first {
            $0.vendorID == vendor && $0.productID == product
                && ReaderPlace($0).covers(ReaderPlace(reader))
        }
        if let other {
            throw fault(
                section, "keyboard",
                ReaderPlace.reason("keyboard-reader \(name)", coveredBy: "keyboard-reader \(other.name)"))
        }
        before.append(reader)
        return reader
    }

    func virtualKeyboard(
        _ name: String, _ owners: inout [String: String]
    ) throws(ConfigurationError) -> DaemonConfiguration.VirtualKeyboard {
        let section = ["virtual-keyboard", name]
        return DaemonConfiguration.VirtualKeyboard(
            name: name, source: try source(of: section, &owners), options: try keyboardOptions(section))
    }

    /// The reader's layout, out of the system's keyboard data.
    private func keyboardOptions(_ section: [String]) throws(ConfigurationError) -> ReaderOptions {
        var options = ReaderOptions()
        do throws(KeyboardLayouts.Failure) {
            options.keyboard = try KeyboardLayouts.options(text(section, "layout"))
        } catch {
            throw fault(section, "layout", "\(error)")
        }
        return options
    }
}
