import FoundationEssentials
import ReaderKit
import Testing

@testable import SwipeDaemon

/// Which keyboards are taken.
@Suite struct KeyboardDeskTests {
    /// One that udev left inhibited is deaf to the daemon as well: not held, but told with what to do.
    @Test(arguments: [false, true], [false, true])
    func anInputThatIsNotAsItShouldBe(isInhibited: Bool, isSilent: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: "\(folder)/input/input7/capabilities", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (file, text) in [
            ("inhibited", isInhibited ? "1" : "0"), ("capabilities/key", "fffffffffffffffe"),
        ] {
            try text.write(toFile: "\(folder)/input/input7/\(file)", atomically: true, encoding: .utf8)
        }
        let device = DeviceIdentity(
            readerID: "a", bus: .usb, node: isSilent ? "/dev/hidraw3" : "/dev/input/event3",
            syspath: "\(folder)/\(isSilent ? "hidraw/hidraw3" : "input/input7/event3")")
        let obstacle = DeviceWatch.obstacle(device, isSilent: isSilent)
        #expect((obstacle == nil) == (isInhibited == isSilent))
        if let obstacle {
            #expect("\(obstacle)".contains(isSilent ? "is not inhibited" : "input is inhibited"))
            #expect("\(obstacle)".contains("sudo udevadm trigger"))
        }
    }
}
