package import ReaderPackets

extension IDTechPacket {
    /// The reader's serial number; nil where it is empty or no text, or the card's digits are in it.
    package var serialNumber: String? { serial.flatMap { MagTekText.serial($0, besides: sentTracks) } }
}
