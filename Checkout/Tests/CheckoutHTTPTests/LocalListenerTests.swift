import CheckoutTesting
import Foundation
import Testing

/// The sockets of the tests' own services.
@Suite struct LocalListenerTests {
    /// A thread that takes connections may come to its next one when its service is stopped, and another one was given the same
    /// number by the kernel: it takes none of that one's.
    @Test func aThreadThatIsLateTakesNoOtherServicesConnections() throws {
        for _ in 1...20 {
            let old = try LocalListener()
            old.stop()
            let new = try LocalListener()
            defer { new.stop() }
            let client = try #require(LocalListener.connection(to: new.port))
            defer { close(client) }
            #expect(old.next() == nil)
            let taken = try #require(new.next())
            close(taken)
        }
    }

    @Test func whoIsStoppedTakesNobody() throws {
        let listener = try LocalListener()
        listener.stop()
        #expect(LocalListener.connection(to: listener.port) == nil && listener.next() == nil)
    }
}
