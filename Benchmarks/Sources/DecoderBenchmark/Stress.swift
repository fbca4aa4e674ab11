import WaveformSynthesis

extension Condition {
    /// Swipes that no rule can read whole, to see what is made of their pieces. What counts is that nothing wrong is
    /// read; nothing is asked of the rate.
    static let stress: [Condition] = [
        Condition("stress: 200-400 cm/s", nil, nil) { recipe, random in
            recipe.speed.centimetresPerSecond = random.uniform(200...400)
        },
        Condition("stress: weak stretch", nil, nil) { recipe, random in
            recipe.lifts = [
                HeadLift(
                    centre: random.uniform(0.1...0.9), millimetres: random.uniform(5...30),
                    amplitude: random.uniform(0.03...0.15), isAbrupt: random.uniform() < 0.5)
            ]
        },
        Condition("stress: two to six lifts", nil, nil) { recipe, random in
            recipe.lifts = (0..<Int(random.uniform(2...6.99))).map { _ in
                HeadLift(
                    centre: random.uniform(0.05...0.95), millimetres: random.uniform(3...15),
                    amplitude: random.uniform(0.03...0.4))
            }
        },
        Condition("stress: lost transitions", nil, nil) { recipe, random in
            recipe.lostTransitions = Int(random.uniform(2...6.99))
        },
        damaged("stress: samples missing") { samples, random in
            for _ in 0..<Int(random.uniform(1...3.99)) {
                let start = Int(random.uniform(0.1...0.9) * Double(samples.count))
                let length = Int(random.uniform(20...2000))
                samples.removeSubrange(start..<min(start + length, samples.count))
            }
        },
        damaged("stress: cut") { samples, random in
            let place = Int(random.uniform(0.15...0.85) * Double(samples.count))
            if random.uniform() < 0.5 {
                samples.removeFirst(place)
            } else {
                samples.removeLast(samples.count - place)
            }
        },
        damaged("stress: stopped and resumed") { samples, random in
            let place = Int(random.uniform(0.2...0.8) * Double(samples.count))
            let pause = [Int16](repeating: 0, count: Int(random.uniform(500...12_000)))
            samples.insert(contentsOf: pause, at: place)
        },
    ]

    private static func damaged(
        _ name: String, _ damage: @escaping @Sendable (inout [Int16], inout SeededRandom) -> Void
    ) -> Condition {
        var condition = Condition(name, nil, nil) { _, _ in }
        condition.damage = damage
        return condition
    }
}
