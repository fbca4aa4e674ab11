import CALSA
import Glibc
import ReaderKit
import Testing
import UnixIO

@testable import DeviceIO

/// What threads wait for without a clock: a reader's reports, and the machine that wakes up (docs/decisions/0212).
@Suite struct WaitTests {
    /// A pipe in hidraw's place: what its writer leaves behind is read before the end of it is told.
    private struct Pipe {
        let reports: Int32
        let device: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            (reports, device) = (ends[0], ends[1])
        }

        func send(_ bytes: [UInt8]) -> Int { write(device, bytes, bytes.count) }
    }

    private func read(_ reports: borrowing HIDReports) throws(DeviceError) -> [UInt8] {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 8)
        defer { buffer.deallocate() }
        let count = try reports.read(into: buffer)
        return Array(buffer[..<count])
    }

    /// What a wait, or a read, ended with.
    private func fault(_ body: () throws(DeviceError) -> Void) -> DeviceError? {
        do throws(DeviceError) { try body() } catch { return error }
        return nil
    }

    @Test func lastReportsComeBeforeTheEnd() throws {
        let pipe = Pipe()
        let reports = HIDReports(descriptor: pipe.reports)
        let wakePipe = try WakePipe()
        let nothing = try read(reports)
        #expect(nothing == [] && pipe.send([1, 2, 3]) == 3)
        close(pipe.device)
        let isThere = try reports.wait(wakePipe)
        let last = try read(reports)
        #expect(isThere && last == [1, 2, 3])
        let end = fault { () throws(DeviceError) in _ = try reports.wait(wakePipe) }
        #expect(end == .gone)
        let late = fault { () throws(DeviceError) in _ = try read(reports) }
        #expect(late == .gone, "a read that finds the end first")
    }

    @Test func aThreadThatIsToEndIsWoken() throws {
        let pipe = Pipe()
        let wakePipe = try WakePipe()
        do {
            let reports = HIDReports(descriptor: pipe.reports)
            wakePipe.wake()
            let isWoken = try !reports.wait(wakePipe)
            #expect(isWoken && pipe.send([7]) == 1)
            let isThere = try reports.wait(wakePipe)
            #expect(isThere, "a report that came meanwhile is not left")
        }
        var ended = pollfd(fd: pipe.device, events: 0, revents: 0)
        #expect(poll(&ended, 1, 0) == 1 && ended.revents & Int16(POLLERR) != 0, "it is closed")
        close(pipe.device)
    }

    /// Also not after it was set anew: a descriptor that stays readable would keep its thread awake for good.
    @Test func theAlarmIsQuietWhileTheMachineIsAwake() {
        let alarm = WakeAlarm()
        let descriptor = alarm.descriptor
        #expect(descriptor >= 0)
        for _ in 0..<3 {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&polled, 1, 0) == 0)
            let isWound = alarm.wind()
            #expect(isWound)
        }
    }
}
