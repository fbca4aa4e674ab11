import Foundation

/// Report descriptors for readers in a testbed.
enum HIDDescriptors {
    /// The report descriptor of a MagneSafe V5 reader, from its manual's list of usages (99875475): 856 bytes in, 60 of
    /// a feature report. The bench's own is a SureSwipe reader's.
    static let magneSafeDescriptor =
        "0600ff0901a101150026ff007508092095018202017508092195018202017508092295018202017508092895018202017508"
        + "092995018202017508092a950182020175080938950182020175080930957082020175080931957082020175080932957082"
        + "02017508093995018202017520092395018202017508092b9501820201750809339580820201750809409510820201750809"
        + "42950282020175080946950a8202017508094795018202017508094895018202017508094995018202017508094a95708202"
        + "017508094b95708202017508094c957082020175080950950882020175080951950182020175080952950182020175080953"
        + "950182020175080954950182020175080920953cb20201c0"

    static func report(_ vector: String) throws -> String {
        let path = "Tests/Vectors/MagTek/\(vector)"
        let text = try String(contentsOf: BuiltProgram.root.appending(path: path), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.first != "#" }.joined()
    }
}
