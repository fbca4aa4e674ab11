import EventServer
import SwipeClient
import SwipeProtocol

/// A suite about one reader, with cards on it that differ in the track that was read.
protocol OneReader {}

extension OneReader {
    var reader: ReaderInfo {
        ReaderInfo(id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)
    }

    func swipe(_ track: Int) -> SwipeData {
        SwipeData(tracks: [TrackInfo(track: track, status: .ok)])
    }

    func publish(_ track: Int, _ server: EventServer) {
        server.publish(Publication(reader: reader, .swipe(swipe(track))))
    }

    func plugIn(_ server: EventServer) {
        server.publish(Publication(reader: reader, .connect(reader)))
    }
}
