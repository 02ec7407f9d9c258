import Files
import Foundation
package import JobManifest
package import JobStorage

/// Updates the store to the manifest and its lists, without loading anything.
package struct Planner: Sendable {
    /// The result of planning.
    package struct Summary: Sendable {
        /// The counts; nil if nothing has changed since the last planning.
        let counts: PlanCounts?
        /// The number of rows that repeat another row.
        package let duplicates: Int
        /// Warnings, one sentence each.
        package let warnings: [String]
        /// False if the run was stopped before the manifest was planned; the previous plan is still in force.
        package var isComplete = true

        /// The result of a planning that was stopped.
        package static let stopped = {
            var summary = Summary(counts: nil, duplicates: 0, warnings: [])
            summary.isComplete = false
            return summary
        }()

        /// Creates a summary from its parts.
        package init(counts: PlanCounts?, duplicates: Int, warnings: [String]) {
            self.counts = counts
            self.duplicates = duplicates
            self.warnings = warnings
        }

        /// True if the sources were planned anew, false if the last plan stayed in force.
        package var isNew: Bool { counts != nil }

        /// The number of items that joined the job since the plan before; nil for the job's first plan, and for none.
        package var added: Int? { difference(\.new) }

        /// The number of items that left the job since the plan before; nil for the job's first plan, and for none.
        package var removed: Int? { difference(\.left) }

        private func difference(_ count: (PlanCounts) -> Int) -> Int? {
            guard let counts else { return isComplete ? 0 : nil }
            return counts.isFirst ? nil : count(counts)
        }

        /// The counts of items by state if all are new, so that none has to be requeued; otherwise nil.
        package var newCounts: JobCounts? {
            counts.flatMap { $0.new == $0.items ? $0.states : nil }
        }
    }

    private let manifest: Manifest
    /// The facts that each item needs, sorted; nil when warming, which keeps existing facts.
    private let facts: [String]?
    private let options: RunOptions
    /// The path of the job's state, of which the store can be a copy.
    private let statePath: String
    private let loaded: LoadedSources
    private let isStopped: @Sendable () -> Bool

    /// Creates a planner for a manifest, with `options` applied, and what was loaded of its sources.
    ///
    /// Planning ends early when `isStopped` returns true, which it asks at each row and in each folder.
    package init(
        _ manifest: Manifest,
        _ options: RunOptions,
        loaded: LoadedSources,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.isStopped = isStopped
        self.manifest = manifest
        self.options = options
        statePath = options.statePath(of: manifest)
        self.loaded = loaded
        facts = options.isWarming ? nil : manifest.facts.map(\.rawValue).sorted()
    }

    /// Plans the manifest, unless it and its lists are unchanged since the last planning.
    ///
    /// - Throws: `RunError.wrongInput` if two outputs would write to the same path and their policy is to refuse that,
    /// `SourceError` if a list cannot be read, `JobStoreError`.
    package func plan(into store: JobStore) throws -> Summary {
        if loaded.isOffline {
            guard let last = try lastPlan(of: store) else {
                throw RunError.wrongInput(
                    "--offline forbids reading the sources of this manifest in s3://, and it has not been planned as it "
                        + "is: run it once without --offline"
                )
            }
            return last
        }
        let own = try OwnFiles(manifest, state: statePath, known: store.reader) {
            try options.otherStates(of: manifest)
        }
        let last = try store.reader.revision().flatMap { $0.manifestSHA256 == digest ? $0 : nil }
        // Only a plan of this manifest can be unchanged; without one, objects are planned while they are listed. Standard input
        // could not be read again if a listing began anew.
        let streams = last == nil && !manifest.readsStandardInput
        let lists: ListState
        do {
            lists = try ListState(manifest, loaded: loaded, own: own, streams: streams, isStopped: isStopped)
        } catch {
            guard isStopped() else { throw error }
            return .stopped
        }
        if lists.isKnown, let last, last.lists == lists.text {
            try store.recordParts(of: recipes)
            return Summary(
                counts: nil,
                duplicates: last.duplicates,
                warnings: Self.warnings(items: last.items)
            )
        }
        while true {
            let restarts = loaded.restarts
            let planning = try store.beginPlanning(manifestSHA256: digest)
            do {
                let folder = Folder.enclosing(store.path)
                return try fill(planning, lists, in: store, leavingOut: own, copyingTo: folder)
            } catch {
                // The previous plan stays in force.
                try planning.abandon()
                if isStopped() { return .stopped }
                guard loaded.restarts > restarts else { throw error }
            }
        }
    }

    /// Keeps the last plan, for a run that cannot read its sources.
    ///
    /// Nil without a plan of this manifest, and where that plan has no items: there is nothing to work on.
    package func lastPlan(of store: JobStore) throws(JobStoreError) -> Summary? {
        guard let last = try store.reader.revision(), last.manifestSHA256 == digest, last.items > 0 else {
            return nil
        }
        try store.recordParts(of: recipes)
        return Summary(counts: nil, duplicates: last.duplicates, warnings: Self.warnings(items: last.items))
    }

    /// The error that ends a planning which was stopped.
    struct Stopped: Error {}

    /// Plans as `plan(into:)`, on a thread of its own, since lists in object stores let it wait for tasks.
    package func planOnThread(into store: JobStore) async throws -> Summary {
        try await SystemThread.run("planning") { try plan(into: store) }
    }

    private func fill(
        _ planning: Planning,
        _ lists: ListState,
        in store: JobStore,
        leavingOut own: OwnFiles,
        copyingTo folder: String
    ) throws -> Summary {
        var collisions = try CollisionSearch(
            manifest,
            loaded: loaded,
            own: own,
            folder: folder,
            isStopped: isStopped
        )
        let reader = ItemReader(
            manifest,
            loaded: loaded,
            own: own,
            input: collisions.input,
            isStopped: isStopped
        )
        let chunks = ChunkPlanner(manifest, shard: options.shard)
        // More threads would wait for the database's.
        let cores = min(8, ProcessInfo.processInfo.activeProcessorCount)
        let stage = OrderedStage(cores: cores) { chunks.plan($0) }
        defer { stage.end() }
        while true {
            if isStopped() { throw Stopped() }
            if !stage.isFull, let chunk = try reader.nextChunk() {
                stage.add(chunk)
                continue
            }
            guard let chunk = stage.next() else { break }
            try collisions.add(chunk.claims)
            try planning.add(chunk.rows)
        }
        var blocked: [BlockedOutput] = []
        let warnings = try collisions.finish { output in
            blocked.append(output)
            guard blocked.count == Planning.chunkSize else { return }
            try planning.block(blocked)
            blocked.removeAll(keepingCapacity: true)
        }
        try planning.block(blocked + reader.blocked)
        let emptied = EmptiedSources(manifest, store: store)
        do { try emptied.check(reader.counts) } catch {
            try planning.abandon()
            throw error
        }
        let counts = try planning.finish(
            lists: lists.finished(loaded, isStopped: isStopped),
            recipes: recipes,
            facts: facts,
            unasked: Fact.unasked.map(\.rawValue)
        )
        // Where an earlier release let the first of two rows that came to a path have it, the others try again.
        if !manifest.outputsInSets.isEmpty { try store.requeueCollisions() }
        try emptied.keep(reader.counts)
        let general = reader.warnings + Self.warnings(items: counts.items, leftOut: reader.leftOut)
        return Summary(
            counts: counts,
            duplicates: counts.duplicates,
            warnings: manifest.warnings + own.warnings + loaded.emptyListings + warnings + general
        )
    }

    private var recipes: [OutputRecipe] {
        manifest.sources.indices.flatMap { source in
            manifest.outputs.map { output in
                var parts = manifest.partDigests(of: output, source: source)
                parts[OutputRecipe.shape] = manifest.shape(of: output, source: source)
                return OutputRecipe(
                    source: source,
                    output: output.name,
                    recipe: manifest.digest(of: output, source: source)
                ) {
                    $0.parts = parts
                    $0.replacesFiles = output.existing == .replace
                }
            }
        }
    }

    private static func warnings(items: Int, leftOut: Int = 0) -> [String] {
        let files = leftOut == 1 ? "1 file was" : "\(leftOut) files were"
        let own = "\(files) left out, as part of the job's own destination, cache or state"
        return (items == 0 ? ["the manifest has no items"] : []) + (leftOut == 0 ? [] : [own])
    }

    /// A digest of everything that determines the items, outputs and facts: the manifest's text, the settings changed
    /// by options, and the bytes of watermark images, which are part of the recipes.
    private var digest: String {
        // Warming needs no outputs, like a manifest without outputs: switching between the two needs no new plan.
        let facts = facts?.joined(separator: " ") ?? ""
        let outputs = recipes.map { "\($0.output) \($0.recipe)" }.joined(separator: "\n")
        let part = options.shard.map { "\n\($0.number)/\($0.count)" } ?? ""
        // Earlier releases did not decide these in planning.
        let sets = !manifest.outputsInSets.isEmpty ? "\nsets" : ""
        return Digest.sha256.hex(
            of: "\(manifest.sha256)\n\(manifest.destinationText)\n\(facts)\n\(outputs)\(part)\(sets)"
        )
    }
}
