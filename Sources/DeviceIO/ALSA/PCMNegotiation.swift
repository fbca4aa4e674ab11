import CALSA
import ReaderKit

/// What is asked of a PCM.
struct PCMRequest {
    enum Channels {
        /// As few as hold so many: the others would be copied and thrown away.
        case holding(Int)
        /// Two where there are two, else one.
        case stereo
    }

    var rates: [Int]
    var period: Duration
    var buffer: Duration
    var channels: Channels
}

extension CaptureConfiguration {
    var request: PCMRequest {
        PCMRequest(rates: rates, period: period, buffer: buffer, channels: .holding(heads))
    }
}

extension PlaybackConfiguration {
    var request: PCMRequest {
        PCMRequest(rates: rates, period: period, buffer: buffer, channels: .stereo)
    }
}

/// Finds what a card and a configuration have in common, best first.
struct PCMNegotiation: ~Copyable {
    private let pcm: OpaquePointer
    private let name: String
    private let parameters: OpaquePointer

    init(_ handle: borrowing PCMHandle, name: String) throws(DeviceError) {
        var parameters: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&parameters) >= 0, let parameters else {
            throw .unsupported(detail: "\(name): no memory for its parameters")
        }
        pcm = handle.pcm
        self.name = name
        self.parameters = parameters
    }

    deinit { snd_pcm_hw_params_free(parameters) }

    /// Sets the parameters and prepares the stream.
    borrowing func agree(_ wanted: PCMRequest) throws(DeviceError) -> CaptureFormat {
        try check(snd_pcm_hw_params_any(pcm, parameters), "any configuration")
        snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0)
        try check(
            snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED),
            "interleaved samples")
        let format = try agreeOnFormat()
        let channels = try agreeOnChannels(wanted.channels)
        let rate = try agreeOnRate(wanted.rates)
        let (period, buffer) = try agreeOnTimes(wanted)
        try check(snd_pcm_hw_params(pcm, parameters), "the combination of format, channels, rate and period")
        try wakeOncePer(period)
        return CaptureFormat(
            sampleRate: rate, format: format, channels: channels, periodFrames: Int(period),
            bufferFrames: Int(buffer))
    }

    private borrowing func agreeOnFormat() throws(DeviceError) -> SampleFormat {
        for format in SampleFormat.allCases
        where snd_pcm_hw_params_set_format(pcm, parameters, format.alsa) >= 0 { return format }
        throw refusal("any of " + SampleFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }

    private borrowing func agreeOnChannels(_ wanted: PCMRequest.Channels) throws(DeviceError) -> Int {
        switch wanted {
        case .holding(let count): return try agreeOnChannels(holding: count)
        case .stereo:
            var channels: UInt32 = 2
            try check(
                snd_pcm_hw_params_set_channels_near(pcm, parameters, &channels), "a number of channels")
            return Int(channels)
        }
    }

    private borrowing func agreeOnChannels(holding count: Int) throws(DeviceError) -> Int {
        var channels = UInt32(clamping: max(1, count))
        try check(
            snd_pcm_hw_params_set_channels_min(pcm, parameters, &channels),
            count > 1 ? "\(count) channels, one for each head" : "a channel")
        try check(snd_pcm_hw_params_set_channels_first(pcm, parameters, &channels), "a number of channels")
        return Int(channels)
    }

    private borrowing func agreeOnRate(_ rates: [Int]) throws(DeviceError) -> Int {
        for rate in rates where snd_pcm_hw_params_set_rate(pcm, parameters, UInt32(clamping: rate), 0) >= 0 {
            return rate
        }
        guard let best = rates.first else { throw refusal("a rate: the list of rates is empty") }
        var near = UInt32(clamping: best)
        try check(snd_pcm_hw_params_set_rate_near(pcm, parameters, &near, nil), "a rate near \(best) Hz")
        return Int(near)
    }

    private borrowing func agreeOnTimes(
        _ wanted: PCMRequest
    ) throws(DeviceError) -> (period: snd_pcm_uframes_t, buffer: snd_pcm_uframes_t) {
        var periodTime = wanted.period.alsaMicroseconds
        var bufferTime = wanted.buffer.alsaMicroseconds
        try check(snd_pcm_hw_params_set_period_time_near(pcm, parameters, &periodTime, nil), "a period")
        try check(snd_pcm_hw_params_set_buffer_time_near(pcm, parameters, &bufferTime, nil), "a buffer")
        var period: snd_pcm_uframes_t = 0
        var buffer: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_period_size(parameters, &period, nil), "a period")
        try check(snd_pcm_hw_params_get_buffer_size(parameters, &buffer), "a buffer")
        return (period, buffer)
    }

    private borrowing func wakeOncePer(_ period: snd_pcm_uframes_t) throws(DeviceError) {
        var software: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&software) >= 0, let software else {
            throw refusal("software parameters")
        }
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(pcm, software), "software parameters")
        try check(snd_pcm_sw_params_set_avail_min(pcm, software, period), "a wake-up a period")
        try check(snd_pcm_sw_params(pcm, software), "software parameters")
    }

    private borrowing func check(_ result: Int32, _ what: String) throws(DeviceError) {
        guard result < 0 else { return }
        let fault = PCMFault(result, snd_pcm_state(pcm))
        throw fault == .gone ? .gone : refusal(what)
    }

    private borrowing func refusal(_ what: String) -> DeviceError {
        .unsupported(detail: "\(name) does not offer \(what)")
    }
}
