// fanread PROTOCOL ADDRESS READERS EVENTS TIMES [stalled|slow|reset|greedy]
//
// Connects READERS clients to a daemon and reads EVENTS events with each of them on one thread; prints what came,
// what was lost or out of order, and the latency from TIMES (when each event was sent) to the return of recv.
// PROTOCOL: swiped, mqtt, gpsd, lirc. Prints "ready" when all have subscribed. With a last word the clients are bad
// ones instead, until standard input ends: never read; read 2 kB ten times a second; are gone with lines unread
// and come back (whom the daemon cuts off comes back too); or ask swiped as fast as it answers, and read that.
import Glibc
import LoadMeasures

Sockets.raiseLimit()
let words = CommandLine.arguments
guard words.count >= 6, let dialect = Dialect(rawValue: words[1]), let readers = Int(words[3]),
    let events = Int(words[4]), let times = SendTimes(path: words[5], count: events)
else {
    print("usage: fanread swiped|mqtt|gpsd|lirc ADDRESS READERS EVENTS TIMES [stalled|slow|reset|greedy]")
    exit(2)
}
if words.count > 6, words[6] == "greedy" {
    GreedyClients(words[2], readers).run()
} else if words.count > 6 {
    BadClients(dialect, words[2], readers, words[6]).run()
} else {
    Reading(dialect, words[2], readers, times).run()
}
