import ReaderCatalog
import ReaderKit

/// The properties that readers keep themselves: what `property_get` and `property_set` take.
enum PropertiesTable {
    static var text: String {
        let hid = ReaderCatalog.hid.map { (name: $0.descriptor.name, properties: $0.properties) }
        let serial = ReaderCatalog.serial.map { (name: $0.descriptor.name, properties: $0.properties) }
        let rows = (hid + serial).flatMap { driver in
            driver.properties.map { row(driver.name, $0) }
        }
        return """
            | driver | property | can be set | what it is |
            |---|---|---|---|

            """ + rows.joined()
    }

    private static func row(_ driver: String, _ property: PropertyDescriptor) -> String {
        "| \(driver) | `\(property.name)` | \(property.isWritable ? "yes" : "no") | \(property.summary) |\n"
    }
}
