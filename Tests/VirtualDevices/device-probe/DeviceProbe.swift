import DeviceIO
import Glibc
import ReaderKit

/// Says on standard output what `DeviceIO` shows of HID devices: one line an event.
///
///     scanned
///     added ID NODE
///     opened ID | refused ID ERROR
///     report ID HEX | feature ID HEX | command ID ERROR
///     ended ID ERROR
///     removed ID
///     descriptors N                after each removal
///
/// Each device is asked for one feature report when it is opened; by `device-probe --quiet` it is not.
@main
struct DeviceProbe {
    static func main() async {
        let isQuiet = CommandLine.arguments.contains("--quiet")
        do throws(DeviceError) {
            if let result = try await measure() { return say(result) }
            if let held = HeldSound(CommandLine.arguments) { return try await held.hold() }
            let monitor = try HotplugMonitor([.hidraw])
            try await watch(monitor, isQuiet)
        } catch {
            say("failed \(error)")
        }
    }

    private static func measure() async throws(DeviceError) -> String? {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let amount = Int(arguments[2]) else { return nil }
        switch arguments[1] {
        case "measure-capture": return try await Measurement.capture(seconds: amount)
        case "measure-reports": return try await Measurement.reports(count: amount)
        case _: return nil
        }
    }

    private static func watch(_ monitor: HotplugMonitor, _ isQuiet: Bool) async throws(DeviceError) {
        var readers: [String: (id: String, task: Task<Void, Never>)] = [:]
        while true {
            switch try await monitor.next() {
            case .scanned: say("scanned")
            case .added(let device):
                say("added \(device.readerID) \(device.node)")
                readers[device.syspath] = (device.readerID, Task { await read(device, isQuiet) })
            case .removed(let syspath):
                guard let (id, task) = readers.removeValue(forKey: syspath) else { continue }
                await task.value
                say("removed \(id)")
                say("descriptors \(openDescriptors())")
            }
        }
    }

    private static func read(_ device: DeviceIdentity, _ isQuiet: Bool) async {
        let id = device.readerID
        do throws(DeviceError) {
            let transport = try await HIDTransport.open(device)
            say("opened \(id)")
            let command = Task { if !isQuiet { await ask(transport, id) } }
            await readAll(transport, id)
            await transport.close()
            await command.value
        } catch {
            say("refused \(id) \(error)")
        }
    }

    private static func ask(_ transport: HIDTransport, _ id: String) async {
        do throws(DeviceError) {
            try await transport.send(.feature([0, 1, 0]))
        } catch {
            say("command \(id) \(error)")
        }
    }

    private static func readAll(_ transport: HIDTransport, _ id: String) async {
        while true {
            do throws(DeviceError) {
                let report = try await transport.receive()
                say("\(report.kind == .input ? "report" : "feature") \(id) \(hex(report.bytes))")
            } catch {
                say("ended \(id) \(error)")
                return
            }
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func openDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // ".", ".." and the folder itself.
        return count - 3
    }

    private static func say(_ line: String) {
        _ = Array((line + "\n").utf8).withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
