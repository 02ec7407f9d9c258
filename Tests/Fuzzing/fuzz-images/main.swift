import Foundation
import TestSupport

// Damaged images: mutants of real ones, each decoded, processed and encoded. The address sanitizer watches.
//
// usage: fuzz-images MUTANTS SECONDS FOLDER...     (`make fuzz`); NUKE_BATCH_SEED repeats a run

// A function, since what a global still holds at the end would count as leaked.
func main() throws -> Int32 {
    let words = CommandLine.arguments
    guard words.count > 3, let mutants = Int(words[1]), let seconds = Double(words[2]) else {
        print("usage: fuzz-images MUTANTS SECONDS FOLDER...")
        return 2
    }
    let seed = ProcessInfo.processInfo.environment["NUKE_BATCH_SEED"].flatMap { UInt64($0) }
    let known = seed ?? .random(in: 1...1_000_000)
    var random = SeededGenerator(seed: known)
    let seeds = Seeds.files(in: words.dropFirst(3), count: 200, using: &random)
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
    print("fuzz: \(tried) mutants in \(Int(-start.timeIntervalSinceNow)) s, no crash, none over its memory")
    for (outcome, count) in outcomes.sorted(by: { $0.value > $1.value }) { print("  \(count) \(outcome)") }
    // The leak detector ends the program before its output is written out by itself.
    fflush(nil)
    return 0
}

exit(try main())
