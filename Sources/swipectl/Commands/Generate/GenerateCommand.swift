import ArgumentParser
import ReaderCatalog

/// Prints what is made from the catalogue of drivers. `scripts/generate` calls it; no user needs it.
struct GenerateCommand: ParsableCommand {
    enum Product: String, ExpressibleByArgument, CaseIterable {
        /// The rules that give the readers' device nodes to the daemon.
        case udevRules = "udev-rules"
        /// The table of every known reader, in Markdown.
        case readers
        /// The same without those that are only recognised.
        case drivenReaders = "driven-readers"
        /// The properties that readers keep, by driver.
        case properties
    }

    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Print a file that is made from the catalogue of drivers.",
        shouldDisplay: false
    )

    @Argument(help: "What to print.")
    var product: Product

    func run() throws {
        switch product {
        case .udevRules: try Output.result(UdevRules.text(for: ReaderCatalog.descriptors))
        case .readers: try Output.result(ReadersTable.text(for: ReaderCatalog.descriptors, drivenOnly: false))
        case .drivenReaders:
            try Output.result(ReadersTable.text(for: ReaderCatalog.descriptors, drivenOnly: true))
        case .properties: try Output.result(PropertiesTable.text)
        }
    }
}
