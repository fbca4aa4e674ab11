import DeviceIO
import Glibc
import ReaderKit
import Testing

@Suite("Virtual readers", .timeLimit(.minutes(1)))
struct VirtualReaderTests {
    private func reader(_ source: SoundSource) -> VirtualReaderConfiguration {
        VirtualReaderConfiguration(
            name: "till 1", kind: .hid(vendorID: 0x0801, productID: 0x0002), source: source.path)
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

    @Test("lose no report to a writer of bytes that is still there")
    func nextWriter() async throws {
        let source = try SoundSource()
        let transport = try await reader(source).openHID()
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
