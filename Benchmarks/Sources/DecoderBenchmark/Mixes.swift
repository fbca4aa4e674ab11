import WaveformSynthesis

extension Condition {
    /// Every ill at once, drawn at random.
    static let mixes: [Condition] = [
        Condition("easy mix", 99.8, 99.8) { recipe, random in
            recipe.speed = SpeedProfile(
                shape: .hand(variation: random.uniform(0.05...0.2)),
                centimetresPerSecond: random.uniform(12...60))
            recipe.isBackward = random.uniform() < 0.5
            recipe.isInverted = random.uniform() < 0.5
            recipe.signalToNoise = random.uniform(25...40)
            recipe.jitter = random.uniform(0.01...0.04)
            recipe.pulseWidth = random.uniform(40...70)
            recipe.level = random.uniform(-30 ... -4)
            recipe.offset = random.uniform(-0.05...0.05)
            recipe.highPass = random.uniform(5...200)
            recipe.densityError = random.uniform(-0.05...0.05)
        },
        Condition("hard mix", 98, 75) { recipe, random in
            recipe.speed = SpeedProfile(
                shape: random.uniform() < 0.3
                    ? .bell(ratio: random.uniform(1...3)) : .hand(variation: random.uniform(0.1...0.35)),
                centimetresPerSecond: random.uniform(10...100))
            recipe.isBackward = random.uniform() < 0.5
            recipe.isInverted = random.uniform() < 0.5
            recipe.signalToNoise = random.uniform(10...30)
            recipe.jitter = random.uniform(0.02...0.07)
            recipe.asymmetry = random.uniform(0...0.06)
            recipe.pulseWidth = random.uniform(40...100)
            recipe.level = random.uniform(-40 ... -3)
            recipe.offset = random.uniform(-0.2...0.2)
            recipe.highPass = random.uniform(5...500)
            recipe.densityError = random.uniform(-0.08...0.08)
            if random.uniform() < 0.5 { recipe.hum = hum(random.uniform(-20...0), &random) }
            if random.uniform() < 0.5 { recipe.clicksPerSecond = random.uniform(0...5) }
            if random.uniform() < 0.3 { recipe.thump = random.uniform(-12...0) }
            if random.uniform() < 0.5 {
                recipe.neighbour = neighbour(recipe, random.uniform(-26 ... -14), &random)
            }
            if random.uniform() < 0.2 { recipe.clipping = random.uniform(1...10) }
            if random.uniform() < 0.2 { recipe.bitDepth = 8 }
            if random.uniform() < 0.3 {
                recipe.lifts = [
                    HeadLift(
                        centre: random.uniform(0.1...0.9), millimetres: random.uniform(2...8),
                        amplitude: random.uniform(0.2...0.6))
                ]
            }
        },
    ]
}

extension Condition {
    /// What the speed that another head has heard is worth.
    static let twoHeads: [Condition] =
        (timing + losses + mixes).filter { helped.contains($0.name) }.map(\.ofTwoHeads)

    private static let helped = [
        "hard mix", "three head lifts", "20 mm at 10 % amplitude", "jitter 8 % of a whole cell",
    ]
}
