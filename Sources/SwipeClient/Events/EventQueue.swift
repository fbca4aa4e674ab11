/// Events in order: taking the first costs the same however many wait.
struct EventQueue {
    /// From `head` on; nil where one was taken, which may hold a card and is not kept.
    private var slots: [EventStream.Arrival?] = []
    private var head = 0

    /// Slots before the head that are not worth moving the others for.
    private static let fewestEmpty = 32

    var count: Int { slots.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ arrival: EventStream.Arrival) { slots.append(arrival) }

    mutating func takeFirst() -> EventStream.Arrival? {
        guard head < slots.count else { return nil }
        defer { closeUp() }
        let first = slots[head]
        slots[head] = nil
        head += 1
        return first
    }

    /// Once half is empty: each event is moved once at most for each that was taken.
    private mutating func closeUp() {
        guard head >= Self.fewestEmpty, head >= count else { return }
        slots.removeFirst(head)
        head = 0
    }
}
