import Glibc
import ReaderKit
import Testing

@testable import DeviceIO

@Suite("Virtual readers", .timeLimit(.minutes(5)))
struct VirtualReaderTests {
    private func reader(_ source: SoundSource) -> VirtualReaderConfiguration {
        VirtualReaderConfiguration(
            name: "till 1", kind: .hid(vendorID: 0x0801, productID: 0x0002), source: source.path)
    }

    /// Whether the other end of a pipe is let go of, soon: the kernel has it until a wait that was cancelled is done, and a program that
    /// begins at this moment until it has begun.
    private func hasNoReader(_ writer: Int32) -> Bool {
        var polled = pollfd(fd: writer, events: 0, revents: 0)
        return poll(&polled, 1, 5_000) == 1 && polled.revents & Int16(POLLERR) != 0
    }

    @Test("are attached while their source exists")
    func hotplug() async throws {
        let source = try SoundSource()
        let reader = reader(source)
        let monitor = try HotplugMonitor([], virtualReaders: [reader])
        #expect(try await monitor.next() == .added(reader.identity))
        #expect(try await monitor.next() == .scanned)
        for _ in 0..<100 {
            source.unplug()
            #expect(try await monitor.next() == .removed(syspath: reader.identity.syspath))
            try source.plug()
            #expect(try await monitor.next() == .added(reader.identity))
        }
        monitor.setVirtualReaders([])
        #expect(try await monitor.next() == .removed(syspath: reader.identity.syspath))
        #expect(try await monitor.next() == .scanned)
        monitor.close()
        await #expect(throws: DeviceError.closed) { _ = try await monitor.next() }
    }

    @Test("replay what each writer writes, and end when they are pulled out")
    func replay() async throws {
        let source = try SoundSource()
        let transport = try await reader(source).openHID()
        for number in UInt8(0)..<20 {
            source.write([number, 1, 2, 3])
            #expect(try await transport.receive() == HIDReport(bytes: [number, 1, 2, 3]))
        }
        source.write(Array("0001 # one\n0002\n".utf8))
        #expect(try await transport.receive().bytes == [0, 1])
        #expect(try await transport.receive().bytes == [0, 2])
        await #expect(throws: DeviceError.refused) { try await transport.send(.feature([0])) }
        source.unplug()
        await #expect(throws: DeviceError.gone) { _ = try await transport.receive() }
        await transport.close()
    }

    @Test("end also where their source has no end")
    func sourceWithoutAnEnd() async throws {
        let reader = VirtualReaderConfiguration(
            name: "zeros", kind: .hid(vendorID: 0x0801, productID: 0x0002), source: "/dev/zero")
        let transport = try await reader.openHID()
        await transport.close()
    }

    @Test("are read on a loop, writer after writer, as they are on a thread")
    func replayOnALoop() async throws {
        let source = try SoundSource()
        let loop = try TestLoop()
        let transport = try await reader(source).openHID(on: loop.sources)
        try #require(transport is LoopTransport<HIDReport>)
        for number in UInt8(0)..<20 {
            source.write([number, 1, 2, 3])
            #expect(try await transport.receive() == HIDReport(bytes: [number, 1, 2, 3]))
        }
        source.write(Array("0001 # one\n0002\n".utf8))
        #expect(try await transport.receive().bytes == [0, 1])
        #expect(try await transport.receive().bytes == [0, 2])
        #expect(transport.arrivedInputs == 22)
        await #expect(throws: DeviceError.refused) { try await transport.send(.feature([0])) }
        await transport.close()
        await #expect(throws: DeviceError.closed) { _ = try await transport.receive() }
        // Who writes to it finds nobody there.
        for _ in 0..<100 where canBeWritten(source) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!canBeWritten(source))
    }

    private func canBeWritten(_ source: SoundSource) -> Bool {
        let writer = open(source.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if writer >= 0 { close(writer) }
        return writer >= 0
    }

    @Test("wait on a loop for whoever reads them, and lose nothing")
    func moreThanThereIsRoomFor() async throws {
        let source = try SoundSource()
        let loop = try TestLoop()
        let transport = try await reader(source).openHID(on: loop.sources)
        let count = VirtualHIDTransport.queuedInputs * 40
        source.write(
            (0..<count).flatMap { number in
                Array("0000\(number % 10)0\(number / 10 % 10)0\n".utf8)
            })
        while transport.arrivedInputs < VirtualHIDTransport.queuedInputs {
            try await Task.sleep(for: .milliseconds(1))
        }
        for number in 0..<count {
            let bytes = try await transport.receive().bytes
            #expect(bytes == [0, 0, UInt8(number % 10) << 4, UInt8(number / 10 % 10) << 4])
        }
        await transport.close()
    }

    @Test("hand over on a loop what was written before their name went, and no more")
    func whatComesBeforeTheEnd() async throws {
        let source = try SoundSource()
        let transport = try await reader(source).openHID(on: TestLoop().sources)
        let writer = open(source.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        let count = VirtualHIDTransport.queuedInputs * 4
        let lines = (0..<count).flatMap { Array("00\($0 % 10)0\n".utf8) } + Array("0707".utf8)
        #expect(lines.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) } == lines.count)
        while transport.arrivedInputs < VirtualHIDTransport.queuedInputs {
            try await Task.sleep(for: .milliseconds(1))
        }
        // Nobody has read yet, and the writer stays.
        await transport.unplugged()
        for number in 0..<count {
            #expect(try await transport.receive().bytes == [0, UInt8(number % 10) << 4])
        }
        #expect(try await transport.receive().bytes == [7, 7])
        await #expect(throws: DeviceError.gone) { _ = try await transport.receive() }
        #expect(hasNoReader(writer))
        close(writer)
        await transport.close()
    }

    @Test("end on a loop where a writer has them open and says nothing")
    func unpluggedBesideASilentWriter() async throws {
        let source = try SoundSource()
        let transport = try await reader(source).openHID(on: TestLoop().sources)
        let writer = open(source.path, O_WRONLY | O_CLOEXEC)
        await transport.unplugged()
        await #expect(throws: DeviceError.gone) { _ = try await transport.receive() }
        #expect(hasNoReader(writer))
        close(writer)
        await transport.close()
    }

    @Test("have a thread where their source is no FIFO, and end when it is gone once its writer closes")
    func whatALoopDoesNotWaitFor() async throws {
        let source = try SoundSource()
        let loop = try TestLoop()
        let zeros = VirtualReaderConfiguration(
            name: "zeros", kind: .hid(vendorID: 0x0801, productID: 0x0002), source: "/dev/zero")
        let transport = try await zeros.openHID(on: loop.sources)
        #expect(transport is VirtualHIDTransport)
        await transport.close()

        let onLoop = try await reader(source).openHID(on: loop.sources)
        let writer = open(source.path, O_WRONLY | O_CLOEXEC)
        source.unplug()
        close(writer)
        await #expect(throws: DeviceError.gone) { _ = try await onLoop.receive() }
        await onLoop.close()
    }

    @Test("lose no report to a writer of bytes that is still there", arguments: [false, true])
    func nextWriter(isOnALoop: Bool) async throws {
        let source = try SoundSource()
        let transport = try await reader(source).openHID(on: isOnALoop ? TestLoop().sources : nil)
        let first = open(source.path, O_WRONLY | O_CLOEXEC)
        let second = open(source.path, O_WRONLY | O_CLOEXEC)
        var zeros = [UInt8](repeating: 0, count: 100_000)[...]
        while !zeros.isEmpty {
            let count = zeros.withUnsafeBytes { write(first, $0.baseAddress, $0.count) }
            try #require(count > 0)
            zeros = zeros.dropFirst(count)
        }
        close(first)
        let line = Array("00 01 02 03 04 05 06 07 08\n".utf8)
        #expect(line.withUnsafeBytes { write(second, $0.baseAddress, $0.count) } == line.count)
        #expect(try await transport.receive().bytes == Array(0...8))
        close(second)
        await transport.close()
    }

    @Test("of the audio kind come through libasound, marked")
    func audio() async throws {
        let source = try SoundSource()
        let reader = VirtualReaderConfiguration(name: "head", kind: .audio, source: source.path, speed: 20)
        #expect(reader.identity.isSimulated)
        #expect(reader.identity.bus == .audio)
        let capture = try await reader.openCapture()
        #expect(try await capture.receive().sampleRate == 48_000)
        await capture.close()
    }
}
