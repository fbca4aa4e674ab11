/// Sine and cosine from the four operations: this target uses no C library.
enum Sine {
    static func cosine(_ angle: Double) -> Double { sine(angle + .pi / 2) }

    /// Good to 1e-8.
    static func sine(_ angle: Double) -> Double {
        var x = angle - (angle / (2 * .pi)).rounded() * 2 * .pi
        if x > .pi / 2 { x = .pi - x }
        if x < -.pi / 2 { x = -.pi - x }
        let square = x * x
        return x
            * (1 - square / 6
                * (1 - square / 20
                    * (1 - square / 42 * (1 - square / 72 * (1 - square / 110 * (1 - square / 156))))))
    }
}
