package import ReaderKit

/// MagTek iDynamo 5 Gen III: swipes as text in packets, without being asked for them.
package struct Gen3Driver: ReaderDriver {
    private var packets = Gen3Packets()
    private var details: ReaderDetails

    package static let descriptor = DriverDescriptor(
        name: "magtek-idynamo5-gen3", kind: "magtek",
        matches: [
            DeviceMatch(
                vendorID: MagTekVendor.id, productID: 0x0020, model: "iDynamo 5 Gen III",
                support: .shouldWork(why: "packets and fields as in the maker's web client; no capture"),
                quirks: Quirks(reportID: Gen3Packets.reportID)),
            DeviceMatch(
                vendorID: MagTekVendor.id, productID: 0x0021, model: "iDynamo 5 Gen III in keyboard mode",
                support: .unsupported(
                    remedy: "the reader types like a keyboard; switch it to HID with the maker's program")),
        ])

    package init(_ device: DeviceIdentity) {
        details = ReaderDetails(
            model: Self.descriptor.match(device)?.model ?? "iDynamo 5 Gen III", serial: device.serial)
    }

    package mutating func start() -> [DriverAction] {
        [.signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil))]
    }

    package mutating func receive(_ input: HIDReport) -> [DriverAction] {
        guard input.kind == .input, input.id == Gen3Packets.reportID || input.id == 0 else { return [] }
        do throws(Gen3Packets.Refusal) {
            guard let text = try packets.take(Self.withoutID(input)) else { return [] }
            return received(text)
        } catch {
            return [.signal(.malformed(error.rawValue))]
        }
    }

    /// A transport that knows no report descriptor leaves the id in front, which is less than any packet's length.
    private static func withoutID(_ input: HIDReport) -> [UInt8] {
        let hasID = input.id == 0 && input.bytes.first == Gen3Packets.reportID
        return hasID ? Array(input.bytes.dropFirst()) : input.bytes
    }

    package mutating func inputsLost() -> [DriverAction] {
        packets.lose()
        return []
    }

    package mutating func timerFired() -> [DriverAction] { [] }
    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] { [] }

    private mutating func received(_ text: [UInt8]) -> [DriverAction] {
        do throws(Gen3Message.Refusal) {
            let message = try Gen3Message(text)
            let before = details
            details.serial = details.serial ?? message.serial
            details.encryption = message.swipe.encryption == nil ? .clear : .encrypted
            let learned: [DriverAction] = before == details ? [] : [.signal(.identified(details))]
            return learned + [.signal(.swiped(message.swipe))]
        } catch {
            return [.signal(.malformed(error.sentence))]
        }
    }
}
