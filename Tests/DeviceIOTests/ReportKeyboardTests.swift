import Glibc
import ReaderKit
import Testing

@testable import DeviceIO

/// Boot reports through a socket that keeps their bounds, as hidraw does.
@Suite struct ReportKeyboardTests {
    private static let report: [UInt8] = [0, 0, 0x1E, 0, 0, 0, 0, 0]

    /// Both ends; the first is read, and does not block.
    private func ends() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let type =
            Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private func contents(_ inputs: [KeyInput]) -> [KeyInput.Content] { inputs.map(\.content) }

    /// As many as the kernel holds: it may have dropped some behind them, and says nothing of it. One less is all there was.
    @Test(arguments: [0, 1, 62, 63, 64, 100]) func aFullBufferIsALoss(count: Int) throws {
        let (near, far) = try ends()
        defer { close(far) }
        var keyboard = ReportKeyboard(descriptor: near, number: nil)
        for _ in 0..<count { #expect(write(far, Self.report, 8) == 8) }
        let reports = [KeyInput.Content](repeating: .report(Self.report), count: count)
        #expect(contents(try keyboard.read()) == (count < 63 ? [] : [.lost]) + reports)
        #expect(try keyboard.read() == [])
    }

    /// Fetched as they come, nothing is lost, however many they are.
    @Test func reportsAsTheyCome() throws {
        let (near, far) = try ends()
        defer { close(far) }
        var keyboard = ReportKeyboard(descriptor: near, number: 1)
        for _ in 0..<200 {
            #expect(write(far, [1] + Self.report, 9) == 9)
            #expect(contents(try keyboard.read()) == [.report(Self.report)])
        }
    }

    /// A volume between the keys is none of them, and nothing is wrong with it; it takes the room of one in the kernel.
    @Test func reportsOfAnotherNumber() throws {
        let (near, far) = try ends()
        defer { close(far) }
        var keyboard = ReportKeyboard(descriptor: near, number: 1)
        for bytes in [[2, 0xE9, 0], [1] + Self.report, [2, 0, 0], [3]] {
            #expect(write(far, bytes, bytes.count) == bytes.count)
        }
        #expect(contents(try keyboard.read()) == [.report(Self.report)])
        for _ in 0..<63 { #expect(write(far, [2, 0, 0], 3) == 3) }
        #expect(contents(try keyboard.read()) == [.lost])
    }

    /// Volume in reports 2, keys in reports 5; keys without a number.
    @Test func theNumberOfTheKeys() throws {
        let volume: [UInt8] = [
            0x05, 0x0C, 0x09, 0x01, 0xA1, 0x01, 0x85, 0x02, 0x15, 0x00, 0x25, 0x01, 0x75, 0x08, 0x95, 0x01,
            0x09, 0xE9, 0x81, 0x02, 0xC0,
        ]
        let head: [UInt8] = [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01]
        let keys: [UInt8] = [
            0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02,
            0xC0,
        ]
        #expect(try ReportDescriptor(volume + head + [0x85, 0x05] + keys).keyReportNumber == 5)
        #expect(try ReportDescriptor(head + [0x85, 0x05] + keys + volume).keyReportNumber == 5)
        #expect(try ReportDescriptor(head + keys).keyReportNumber == nil)
    }

    @Test func theEndOfIt() throws {
        let (near, far) = try ends()
        var keyboard = ReportKeyboard(descriptor: near, number: nil)
        close(far)
        var end: DeviceError?
        do throws(DeviceError) { _ = try keyboard.read() } catch { end = error }
        #expect(end == .gone)
    }
}

/// Who waits until a thread has fetched what there is.
@Suite struct FetchRequestsTests {
    @Test func answeredOnceTheThreadHasLooked() async {
        let requests = FetchRequests()
        async let waits: Void = requests.wait { requests.answer(requests.count) }
        await waits
        #expect(requests.count == 0)
    }

    /// Nobody waits for a thread that is gone.
    @Test func theThreadEnds() async {
        let requests = FetchRequests()
        async let waits: Void = requests.wait { requests.end() }
        await waits
        await requests.wait { Issue.record("nobody is there to be woken") }
    }
}
