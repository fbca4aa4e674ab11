package import ReaderKit

/// The reports of a keyboard whose input device is inhibited: they go on through hidraw, and nowhere else
/// (docs/decisions/0620).
package final class KeyReports: ReaderTransport {
    private let reports: HIDTransport
    private let start = ContinuousClock.now

    package init(_ reports: HIDTransport) { self.reports = reports }

    package func receive() async throws(DeviceError) -> KeyInput {
        let report = try await reports.receive()
        return KeyInput(.report(report.bytes), at: ContinuousClock.now - start)
    }

    package var arrivedInputs: Int { reports.arrivedInputs }
    package var lostInputs: Int { reports.lostInputs }
    package var lostBeforeLastInput: Int { reports.lostBeforeLastInput }

    package func send(_ command: TransportCommand) async throws(DeviceError) { throw .refused }

    package func close() async { await reports.close() }
}
