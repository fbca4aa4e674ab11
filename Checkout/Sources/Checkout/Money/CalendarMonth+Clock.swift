internal import Glibc

extension CalendarMonth {
    /// The present month on this machine's clock, in its time zone.
    public static var current: CalendarMonth {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return CalendarMonth(secondsSince1970: Int64(now), offset: Int64(local.tm_gmtoff))
    }
}
