import Testing

@testable import SwipeDaemon

@Suite struct DescriptorLimitTests {
    /// Clients leave something to readers, whatever the limit is; the service's leaves 65,536 to them.
    @Test(arguments: [
        (66_560, 65_536), (1_048_576, 1_047_552), (4_096, 3_584), (1_024, 896), (256, 128), (200, 100),
        (64, 32),
        (2, 1), (1, 1),
    ]) func someAreKeptFromClients(_ descriptors: Int, _ clients: Int) {
        #expect(DescriptorLimit(descriptors: descriptors).clients == clients)
    }
}
