import Foundation
import TestSupport

/// Mutants of real files, one after the other, each through everything that a job does.
enum MutantRun {
    /// Tries so many, or for so long; 0 if all went well, 2 if there is nothing to try.
    static func run(mutants: Int, seconds: Double, folders: [String]) throws -> Int32 {
        let seed = ProcessInfo.processInfo.environment["NUKE_BATCH_SEED"].flatMap { UInt64($0) }
        let known = seed ?? .random(in: 1...1_000_000)
        var random = SeededGenerator(seed: known)
        let seeds = Seeds.files(in: folders, count: 200, using: &random)
        print("fuzz: seed \(known), \(seeds.count) files, \(mutants) mutants, at most \(Int(seconds)) s")
        guard !seeds.isEmpty else { return 2 }
        guard Trial.countsMemory else {
            print("fuzz: what is held is not counted; build with --sanitize address")
            return 2
        }

        // What is being tried: there afterwards if it crashed.
        let suspect = URL(fileURLWithPath: "fuzz-suspect.bin")
        var outcomes: [Trial.Outcome: Int] = [:]
        let start = Date()
        var tried = 0
        while tried < mutants, -start.timeIntervalSinceNow < seconds {
            let mutant = Mutation.mutant(of: seeds[tried % seeds.count], using: &random)
            try mutant.write(to: suspect)
            outcomes[Trial.run(mutant), default: 0] += 1
            tried += 1
        }
        try? FileManager.default.removeItem(at: suspect)
        print(
            "fuzz: \(tried) mutants in \(Int(-start.timeIntervalSinceNow)) s, no crash, none over its memory"
        )
        for (outcome, count) in outcomes.sorted(by: { $0.value > $1.value }) {
            print("  \(count) \(outcome)")
        }
        // The leak detector ends the program before its output is written out by itself.
        fflush(nil)
        return 0
    }
}
