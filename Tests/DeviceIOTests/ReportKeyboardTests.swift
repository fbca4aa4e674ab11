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
        var keyboard = ReportKeyboard(descriptor: near, isNumbered: false)
        for _ in 0..<count { #expect(write(far, Self.report, 8) == 8) }
        let reports = [KeyInput.Content](repeating: .report(Self.report), count: count)
        #expect(contents(try keyboard.read()) == (count < 63 ? [] : [.lost]) + reports)
        #expect(try keyboard.read() == [])
    }

    /// Fetched as they come, nothing is lost, however many they are.
    @Test func reportsAsTheyCome() throws {
        let (near, far) = try ends()
        defer { close(far) }
        var keyboard = ReportKeyboard(descriptor: near, isNumbered: true)
        for _ in 0..<200 {
            #expect(write(far, [1] + Self.report, 9) == 9)
            #expect(contents(try keyboard.read()) == [.report(Self.report)])
        }
    }

    @Test func theEndOfIt() throws {
        let (near, far) = try ends()
        var keyboard = ReportKeyboard(descriptor: near, isNumbered: false)
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
