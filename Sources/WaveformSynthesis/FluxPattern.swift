/// Where the flux turns on the card, in micrometres from the first transition, and which way.
struct FluxPattern {
    var places: [Double] = []
    var length = 0.0

    /// F2F: a transition at every cell's edge, one more in the middle of a one (ISO/IEC 7811-2).
    init(_ recipe: StripeRecipe, random: inout SeededRandom) {
        let cell = 25_400 / recipe.bitsPerInch / (1 + recipe.densityError)
        let bits = Self.zeros(recipe.leadingZeros) + recipe.bits + Self.zeros(recipe.trailingZeros)
        var firstData = 0
        var lastData = 0
        for (index, bit) in bits.enumerated() {
            if index == recipe.leadingZeros { firstData = places.count }
            if index == recipe.leadingZeros + recipe.bits.count { lastData = places.count }
            places.append(Double(index) * cell)
            if bit != 0 { places.append((Double(index) + 0.5) * cell) }
        }
        places.append(Double(bits.count) * cell)
        length = Double(bits.count) * cell
        for index in places.indices {
            places[index] += random.gaussian() * recipe.jitter * cell
            if index & 1 == 1 { places[index] += recipe.asymmetry * cell }
        }
        for _ in 0..<recipe.lostTransitions where lastData > firstData {
            places.remove(at: Int(random.uniform(Double(firstData)...Double(lastData - 1))))
            lastData -= 1
        }
        // Jitter must not make two transitions change places.
        places.sort()
    }

    /// A neighbour's bits over the same length, repeated as often as they fit.
    init(_ neighbour: Neighbour, length: Double, random: inout SeededRandom) {
        let cell = 25_400 / neighbour.bitsPerInch
        let offset = random.uniform(0...cell)
        var index = 0
        while Double(index) * cell < length, !neighbour.bits.isEmpty {
            let place = offset + Double(index) * cell
            places.append(place)
            if neighbour.bits[index % neighbour.bits.count] != 0 { places.append(place + cell / 2) }
            index += 1
        }
        self.length = length
    }

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: max(count, 0)) }
}

/// The field that the head sees at each place of the card: alternating pulses, superposed.
struct SpatialWaveform {
    /// Micrometres between two values.
    static let step = 2.0
    /// Micrometres before the first and after the last transition.
    static let margin = 1000.0
    /// A Lorentzian's tails are cut this many half-widths from its middle, where it is down to 1/400.
    private static let tailHalfWidths = 20.0
    var values: [Float]

    init(_ pattern: FluxPattern, pulseWidth: Double, lifts: [HeadLift]) {
        let count = Int((pattern.length + 2 * Self.margin) / Self.step) + 1
        values = Array(repeating: 0, count: count)
        var sign: Float = 1
        for place in pattern.places {
            let (width, height) = Self.shape(
                at: place / max(pattern.length, 1), pattern.length, pulseWidth, lifts)
            let centre = (place + Self.margin) / Self.step
            let half = width / 2 / Self.step
            let reach = half * Self.tailHalfWidths
            let first = max(0, Int(centre - reach))
            let last = min(count - 1, Int(centre + reach))
            if first <= last {
                let inverse = Float(1 / half)
                for index in first...last {
                    let x = Float(Double(index) - centre) * inverse
                    values[index] += sign * Float(height) / (1 + x * x)
                }
            }
            sign = -sign
        }
    }

    /// The value at a place in micrometres from the first transition.
    func value(at place: Double) -> Double {
        let position = (place + Self.margin) / Self.step
        guard position >= 0, position < Double(values.count - 1) else { return 0 }
        let index = Int(position)
        let fraction = position - Double(index)
        return Double(values[index]) * (1 - fraction) + Double(values[index + 1]) * fraction
    }

    /// Spacing loss: what lowers a pulse widens it.
    private static func shape(
        at fraction: Double, _ length: Double, _ width: Double, _ lifts: [HeadLift]
    ) -> (width: Double, height: Double) {
        var height = 1.0
        var widening = 1.0
        for lift in lifts {
            let distance = abs(fraction - lift.centre) * length / 1000 / max(lift.millimetres / 2, 0.01)
            guard distance < 1 else { continue }
            let depth = lift.isAbrupt ? 1 : (1 - distance * distance) * (1 - distance * distance)
            let left = 1 - depth * (1 - lift.amplitude)
            height *= left
            // A Lorentzian's area stays, so its height goes as one over its width, as long as the lift is small.
            if !lift.isAbrupt { widening *= min(1 / max(left, 0.2), 2.2) }
        }
        return (width * widening, height)
    }
}
