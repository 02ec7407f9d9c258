import Foundation

/// Reproducible random numbers from a seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Creates the generator for `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// Chooses the seed of a test, that of `NUKE_BATCH_SEED` if it is set, and prints it so that the choices can be repeated.
    public static func seed(of name: String) -> UInt64 {
        let set = ProcessInfo.processInfo.environment["NUKE_BATCH_SEED"].flatMap { UInt64($0) }
        let seed = set ?? .random(in: 1...1_000_000)
        print("\(name): seed \(seed) (NUKE_BATCH_SEED=\(seed) repeats it)")
        return seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
