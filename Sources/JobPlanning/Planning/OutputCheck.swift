import Dispatch
package import JobManifest
package import JobStorage
import Synchronization

/// Compares the destination with what earlier runs recorded of it, and requeues what is missing.
///
/// It looks at sizes and never reads a file, which `verify` does. A bucket is looked at only if that is asked for, since each
/// page of its listing is a request that costs.
package struct OutputCheck {
    /// So many recorded outputs may all be gone before it counts as a folder that is not mounted.
    private static let mostLost = 20
    /// The parts of a page of files that are looked at at once: more than there are cores, since one part reads the next page.
    private static let parts = 8

    private typealias Output = (itemID: Int64, name: String)

    private let manifest: Manifest
    private let options: RunOptions
    private let store: JobStore
    /// True if the outputs are in shards.
    private let isPacked: Bool

    /// The outputs that were looked for.
    private struct Look {
        /// True if any of them is there.
        var isAnyThere = false
        var missing: [Output] = []
    }

    /// Creates the check of a manifest, with options applied; nil if there is nothing to look at.
    package init?(_ manifest: Manifest, options: RunOptions, store: JobStore) {
        guard !options.skipsCheck, !manifest.outputs.isEmpty else { return nil }
        guard manifest.destination.bucket == nil || options.checksBucket else { return nil }
        (self.manifest, self.options, self.store) = (manifest, options, store)
        isPacked = manifest.dataset?.pack != nil
    }

    /// Looks at the recorded outputs, and requeues the items of those that are missing or have another size.
    ///
    /// Missing markup is written at the run's end.
    /// - Returns: A sentence for people; nil if nothing is missing.
    /// - Throws: `RunError.machine` if all of many are gone, or if the destination cannot be looked at; `JobStoreError`.
    package func perform() async throws -> String? {
        let contents = try await DestinationContents(manifest, state: store.path)
        let look = isPacked ? try shards(in: contents) : try files(in: contents)
        let missing = try store.reader.asked(among: look.missing)
        guard look.isAnyThere || missing.count <= Self.mostLost else {
            let remedy = manifest.destination.bucket == nil ? "mount it" : "name the bucket that has them"
            throw RunError.machine(
                """
                none of the \(missing.count) recorded outputs is in \(manifest.destination): \(remedy), or make all of \
                them again with \(repair)
                """
            )
        }
        try store.requeueOutputs(missing)
        let markup = try missingMarkup(in: contents)
        if markup > 0 { try store.forgetIndexes() }
        return sentence(outputs: missing.count, markup: markup)
    }

    /// The command that makes all outputs again.
    private var repair: String {
        let values: [(name: String, value: String?)] = [
            ("--state-file", options.state), ("--destination", options.destination),
            ("--shard", options.shard?.description),
        ]
        let words = values.flatMap { name, value in value.map { [name, Shell.quoted($0)] } ?? [] }
        return (["nuke-batch verify --repair", Shell.quoted(manifest.shownPath)] + words).joined(
            separator: " "
        )
    }

    private func sentence(outputs: Int, markup: Int) -> String? {
        let files = markup == 1 ? "1 file of markup is" : "\(Quantity.grouped(markup)) files of markup are"
        guard outputs > 0 else {
            return markup == 0
                ? nil : "\(files) missing in \(manifest.destination): this run writes what is missing again"
        }
        let all = outputs == 1 ? "1 output is" : "\(Quantity.grouped(outputs)) outputs are"
        let rest = markup == 0 ? "" : ", and \(files)"
        return
            "\(all) missing in \(manifest.destination), or not as written\(rest): this run makes what is missing again"
    }
}

/// The look at what is recorded.
extension OutputCheck {
    /// Looks for outputs that are files of their own; the next page is read meanwhile.
    private func files(in contents: DestinationContents) throws -> Look {
        var look = Look()
        var page = try store.reader.finishedFiles()
        while !page.isEmpty {
            let next = Mutex<Result<[FinishedFile], any Error>>(.success([]))
            let missing = Mutex<Result<[Int], any Error>>(.success([]))
            let (files, store) = (page, store)
            DispatchQueue.concurrentPerform(iterations: Self.parts + 1) { part in
                guard part > 0 else {
                    let result = Result<[FinishedFile], any Error> {
                        try store.reader.finishedFiles(after: files.last)
                    }
                    return next.withLock { $0 = result }
                }
                let range = files.count * (part - 1) / Self.parts..<files.count * part / Self.parts
                let found = Result<[Int], any Error> {
                    try range.filter { try !contents.holds(files[$0].path, size: files[$0].bytes) }
                }
                missing.withLock { all in all = all.flatMap { indices in found.map { indices + $0 } } }
            }
            let indices = try missing.withLock { try $0.get() }.sorted()
            if indices.count < files.count { look.isAnyThere = true }
            look.missing += indices.map { (files[$0].itemID, files[$0].name) }
            page = try next.withLock { try $0.get() }
        }
        return look
    }

    /// Looks for shards: a tar file has the size of what is recorded and of its end, one in Parquet may have any size, and one that
    /// is being written may be longer than what is recorded.
    private func shards(in contents: DestinationContents) throws -> Look {
        var look = Look()
        var missing: Set<String> = []
        for (shard, isComplete) in try store.reader.shards(of: manifest.destinationText) {
            if try holds(shard, isComplete: isComplete, contents) {
                look.isAnyThere = true
            } else {
                missing.formUnion(Shard.Format.allCases.map { name(shard, $0) })
            }
        }
        if !missing.isEmpty { look.missing = try store.reader.outputs(inShards: missing) }
        return look
    }

    private func name(_ shard: ShardRecord, _ format: Shard.Format) -> String {
        (manifest.dataset?.shardPrefix ?? "") + Shard.name(shard.number, format)
    }

    private func holds(_ shard: ShardRecord, isComplete: Bool, _ contents: DestinationContents)
        throws(RunError) -> Bool
    {
        guard isComplete else {
            // A bucket shows nothing of an upload; the run that goes on with it finds it or reports that it is gone.
            guard case .folder = contents else { return true }
            for format in Shard.Format.allCases {
                let part = (manifest.dataset?.shardPrefix ?? "") + Shard.partName(shard.number, format)
                // One that was completed just before a crash has its final name.
                if try contents.holds(name(shard, format), size: nil) { return true }
                if let size = try contents.size(of: part) { return size >= shard.bytes }
            }
            return false
        }
        if try contents.holds(name(shard, .tar), size: shard.bytes + TarMember.end.count) { return true }
        return try contents.holds(name(shard, .parquet), size: nil)
    }

    /// The number of files of markup that are not there as they were written.
    private func missingMarkup(in contents: DestinationContents) throws -> Int {
        guard !manifest.markups.isEmpty else { return 0 }
        var count = 0
        var page = try store.reader.markupFiles()
        while let last = page.last {
            for file in page where try !contents.holds(file.path, size: file.bytes) { count += 1 }
            page = try store.reader.markupFiles(after: last)
        }
        return count
    }
}
