import KeyboardLayouts
import ReaderKit

/// The settings of readers that type.
extension ConfigurationReading {
    func virtualKeyboard(_ name: String) throws(ConfigurationError) -> DaemonConfiguration.VirtualKeyboard {
        let section = ["virtual-keyboard", name]
        return DaemonConfiguration.VirtualKeyboard(
            name: name, source: try required(section, "source"), options: try keyboardOptions(section))
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
