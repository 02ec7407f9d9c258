import CacheTrials
import Foundation
import Nuke

/// Work on a cache that is to be interrupted or shared, and the look at what is left.
enum Trial {
    /// A dozen steps, the same each time; the journal goes to standard output.
    static func runOnce(_ path: String) async throws {
        let cache = try DataCache(path: URL(fileURLWithPath: path))
        try await CacheTrial(cache, journal: journal).runOnce()
        cache.close()
    }

    /// Random steps on each of four lanes: so many, or for a number of seconds as in `60s`.
    static func run(_ path: String, worker: String, seed: UInt64, first: Int, length: String, limit: Int) async throws {
        let cache = try DataCache(path: URL(fileURLWithPath: path))
        cache.sizeLimit = limit
        let seconds = length.hasSuffix("s") ? Double(length.dropLast()) : nil
        let end = ContinuousClock.now + .seconds(seconds ?? 0)
        guard let steps = seconds == nil ? Int(length) : .max else { fail("\(length) is no number of steps or seconds") }
        let trial = CacheTrial(cache, journal: journal)
        try await trial.run(worker: worker, seed: seed, first: first) { step in
            step >= steps || seconds != nil && ContinuousClock.now >= end
        }
        cache.close()
    }

    /// Prints what is found as JSON.
    static func examine(_ path: String, journals: [String]) throws {
        let texts = try journals.map { try String(contentsOfFile: $0, encoding: .utf8) }
        let examination = try CacheExamination(path: path, journals: texts)
        print(String(decoding: try JSONEncoder().encode(examination), as: UTF8.self))
    }

    private static var journal: TrialJournal {
        TrialJournal { line in
            let bytes = Array((line + "\n").utf8)
            // One call a line: a kill leaves whole lines.
            if write(1, bytes, bytes.count) != bytes.count { fail("cannot write the journal") }
        }
    }
}
