// fanfeed PROTOCOL ADDRESS EVENTS_PER_SECOND EVENTS TIMES [REPORT]
//
// Makes a daemon's own events happen, at a rate, through the input that the daemon has for simulation, and notes in
// TIMES when each was sent: swiped: reports into a virtual reader's pipe (REPORT is the file of one); mqtt: PUBLISH at
// QoS 0; gpsd: NMEA sentences in datagrams to ADDRESS, a port; lirc: SIMULATE.
import Glibc
import LoadMeasures

let words = CommandLine.arguments
guard words.count >= 6, let rate = Int(words[3]), let events = Int(words[4]),
    let times = SendTimes(path: words[5], count: events),
    let feed = Feed(words[1], words[2], report: words.count > 6 ? words[6] : nil)
else {
    print("usage: fanfeed swiped|mqtt|gpsd|lirc ADDRESS EVENTS_PER_SECOND EVENTS TIMES [REPORT]")
    exit(2)
}
let start = Clock.now()
var late: UInt64 = 0
for index in 0..<events {
    let due = start + UInt64(index) * 1_000_000_000 / UInt64(rate)
    Clock.sleep(until: due)
    times[index] = Clock.now()
    guard feed.send(index + 1) else {
        print("the daemon takes no more after \(index) events")
        exit(1)
    }
    late = max(late, Clock.now() - due)
}
print("fed \(events) in \(Double(Clock.now() - start) / 1e9) s, at most \(late / 1_000) us late")
