import Files
import Foundation
import Originals
import SQLite

/// A comparison of a cache after a trial with the trial's journal.
public struct CacheExamination: Codable, Sendable {
    /// Keys that the trial wrote.
    public private(set) var keys = 0
    /// Keys that hold nothing, as they may.
    public private(set) var absent = 0
    /// Keys whose acknowledged bytes are gone.
    public private(set) var lost: [String] = []
    /// Keys with other bytes than any that may be there: a part, another key's, removed or older ones.
    public private(set) var wrong: [String] = []
    /// Files that are no entry's, after the cache was opened and swept.
    public private(set) var litter: [String] = []
    /// Differences between the index and the folder.
    public private(set) var disagreements: [String] = []
    /// SQLite's integrity check of the index; `ok` if it passes.
    public private(set) var integrity = ""

    /// True if the cache has no defect.
    public var isGood: Bool {
        lost.isEmpty && wrong.isEmpty && litter.isEmpty && disagreements.isEmpty && integrity == "ok"
    }

    /// Opens the cache at `path`, compares it with `journals` (the text of each, in order), sweeps and closes it.
    /// - Throws: if the cache cannot be opened.
    public init(path: String, journals: [String]) throws {
        var expectation = Expectation()
        for journal in journals { expectation.read(journal) }
        let cache = try DataCache(path: URL(fileURLWithPath: path))
        cache.sizeLimit = .max
        keys = expectation.states.count
        for (key, states) in expectation.states {
            let data = cache.cachedData(for: key)
            // -1 is what no trial writes.
            let found = data.map { TrialContent.version(of: $0, key) ?? -1 }
            if data == nil, states.contains(nil) { absent += 1 }
            if states.contains(found) { continue }
            let wanted = states.map { $0.map(String.init) ?? "nothing" }.sorted().joined(separator: " or ")
            if data == nil {
                lost.append("\(key): \(wanted)")
            } else {
                wrong.append("\(key): \(found ?? -1), not \(wanted)")
            }
        }
        cache.sweep()
        cache.close()
        try compareIndex(path)
    }

    private mutating func compareIndex(_ path: String) throws {
        let connection = try Connection(path: path + "/index.sqlite", mode: .readOnly)
        integrity = try connection.statement("PRAGMA integrity_check").first { $0.text(0) } ?? ""
        let listing = try connection.statement("SELECT name, size FROM entry")
        let rows = try listing.rows { ($0.text(0), Int($0.integer(1))) }
        var sizes = Dictionary(uniqueKeysWithValues: rows)
        let total = sizes.values.reduce(0, +)
        let state =
            try connection.statement("SELECT count, size, pinned_size FROM state")
            .first { [$0.integer(0), $0.integer(1), $0.integer(2)] } ?? []
        let pinned = try connection.integer("SELECT coalesce(sum(size), 0) FROM entry WHERE pins > 0")
        if state != [Int64(rows.count), Int64(total), pinned] {
            disagreements.append("the state is \(state), not \([rows.count, total, Int(pinned)])")
        }
        let folder = try Folder(path: path)
        let shards = try folder.names().filter { $0.utf8.count == 2 }
        for shard in shards {
            for name in try folder.folder(shard).names() {
                let place = "\(shard)/\(name)"
                guard let size = sizes.removeValue(forKey: name) else {
                    litter.append(place)
                    continue
                }
                if try folder.examine(place)?.size != size { disagreements.append("the size of \(place)") }
            }
        }
        disagreements += sizes.keys.map { "\($0) has no file" }
    }
}
