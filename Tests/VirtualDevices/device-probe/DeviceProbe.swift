import DeviceIO
import Glibc
import ReaderKit

/// Says on standard output what `DeviceIO` shows of HID devices: one line an event.
///
///     scanned
///     added ID NODE
///     opened ID | refused ID ERROR
///     report ID HEX | feature ID HEX | command ID ERROR
///     lost ID N                    where reports were dropped before the one that came
///     ended ID ERROR
///     removed ID
///     descriptors N                after each removal
///
/// Each device is asked for one feature report when it is opened; by `device-probe --quiet` it is not. By
/// `device-probe --slow`, reports are left where they are until SIGUSR1 comes. SIGUSR2 has it look for devices anew.
@main
struct DeviceProbe {
    static func main() async {
        let isQuiet = CommandLine.arguments.contains("--quiet")
        prepareForSignals()
        do throws(DeviceError) {
            if let result = try await measure() { return say(result) }
            if let held = HeldSound(CommandLine.arguments) { return try await held.hold() }
            let monitor = try HotplugMonitor([.hidraw])
            listen(monitor)
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

    /// Opened by SIGUSR1, and from the start where nobody is to be slow.
    private static let gate = AsyncStream<Void>.makeStream()

    /// Where the handler of signals writes to: a number of its own, for a handler may not look anything up.
    private static let signalDescriptor: Int32 = 200
    /// Set once, before there is a second thread.
    nonisolated(unsafe) private static var signalSource: Int32 = -1

    private static func prepareForSignals() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, dup2(ends[1], signalDescriptor) >= 0 else { return }
        signalSource = ends[0]
        for number in [SIGUSR1, SIGUSR2] {
            signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(200, &byte, 1)
            }
        }
    }

    private static func listen(_ monitor: HotplugMonitor) {
        if !CommandLine.arguments.contains("--slow") { gate.continuation.finish() }
        let source = signalSource
        Task.detached {
            var byte = UInt8(0)
            while Glibc.read(source, &byte, 1) != 0 {
                if Int32(byte) == SIGUSR1 { gate.continuation.finish() } else { monitor.rescan() }
            }
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
        for await _ in gate.stream {}
        var lost = 0
        while true {
            do throws(DeviceError) {
                let report = try await transport.receive()
                if transport.lostInputs > lost {
                    lost = transport.lostInputs
                    say("lost \(id) \(lost)")
                }
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
