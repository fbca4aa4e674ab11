import Foundation
import Testing

@Suite struct WrittenPipeTests {
    /// The signal would end the program with all tests, and no word of which one it was.
    @Test func aReaderThatGoesIsAnErrorAndNoSignal() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path
        defer { unlink(path) }
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        #expect(reader >= 0)
        Thread {
            var byte: UInt8 = 0
            while read(reader, &byte, 1) < 1 { usleep(1_000) }
            close(reader)
        }.start()
        // More than the kernel keeps of it.
        #expect(throws: (any Error).self) { try writePipe(path, [UInt8](repeating: 0, count: 1 << 20)) }
    }
}
