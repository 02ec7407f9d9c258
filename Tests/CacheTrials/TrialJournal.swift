import Foundation
import Synchronization

/// A journal of a trial's changes, one line for each start and each acknowledgement, from which the expectations follow.
///
/// `begin 7 store KEY VERSION`, `begin 8 remove KEY`, `begin 9 removeAll`, `begin 10 evict`, `done 7`.
public final class TrialJournal: Sendable {
    /// Something that is asked of the cache.
    public enum Step: Sendable {
        /// Stores a version of a key.
        case store(String, Int)
        /// Removes a key.
        case remove(String)
        /// Removes all.
        case removeAll
        /// From here on what is not pinned may be evicted.
        case evict
    }

    private let last = Mutex(0)
    private let write: @Sendable (String) -> Void

    /// A journal that gives each line to `write`, which must not return before it is safe from what is tried.
    public init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// Notes that `step` begins, and answers with its number.
    func begin(_ step: Step) -> Int {
        let number = last.withLock { last in
            last += 1
            return last
        }
        let words =
            switch step {
            case .store(let key, let version): "store \(key) \(version)"
            case .remove(let key): "remove \(key)"
            case .removeAll: "removeAll"
            case .evict: "evict"
            }
        write("begin \(number) \(words)")
        return number
    }

    /// Notes that the cache has acknowledged the step `number`.
    func done(_ number: Int) {
        write("done \(number)")
    }
}

/// The values that each key may have after a trial.
struct Expectation {
    /// The values that a key may have: the last acknowledged one and those begun after it; nil for no entry.
    private(set) var states: [String: Set<Int?>] = [:]
    private var mayBeEvicted = false
    private var open: [Int: TrialJournal.Step] = [:]

    /// Adds the expectations that follow from `journal`, of the next run on the same cache.
    mutating func read(_ journal: String) {
        open = [:]
        // The last line may have been cut off.
        let isWhole = journal.hasSuffix("\n")
        let lines = journal.split(separator: "\n").dropLast(isWhole ? 0 : 1)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 2, let number = Int(words[1]) else { continue }
            if words[0] == "done" {
                if let step = open.removeValue(forKey: number) { end(step) }
            } else if let step = Self.step(words.dropFirst(2)) {
                open[number] = step
                begin(step)
            }
        }
    }

    /// Entries of keys that begin with `shared` are written by several processes, those with `kept` are pinned.
    private static func step(_ words: ArraySlice<String>) -> TrialJournal.Step? {
        let rest = Array(words.dropFirst())
        switch words.first {
        case "store" where rest.count == 2: return Int(rest[1]).map { .store(rest[0], $0) }
        case "remove" where rest.count == 1: return .remove(rest[0])
        case "removeAll": return .removeAll
        case "evict": return .evict
        default: return nil
        }
    }

    private mutating func begin(_ step: TrialJournal.Step) {
        switch step {
        case .store(let key, let version): allow(version, key)
        case .remove(let key): allow(nil, key)
        case .removeAll: for key in states.keys { allow(nil, key) }
        case .evict:
            mayBeEvicted = true
            for key in states.keys where !key.hasPrefix("kept") { allow(nil, key) }
        }
    }

    private mutating func end(_ step: TrialJournal.Step) {
        switch step {
        case .store(let key, let version): settle(key, version)
        case .remove(let key): settle(key, nil)
        case .removeAll: for key in states.keys { settle(key, nil) }
        case .evict: break
        }
    }

    private mutating func allow(_ version: Int?, _ key: String) {
        // Nothing was there before the first store.
        states[key, default: [nil]].insert(version)
    }

    private mutating func settle(_ key: String, _ version: Int?) {
        if key.hasPrefix("shared") { return }
        states[key] = mayBeEvicted && !key.hasPrefix("kept") ? [version, nil] : [version]
    }
}
