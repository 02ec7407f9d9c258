import Files
import Foundation
import JobManifest
package import JobPlanning
import JobStorage
import NukeBatch

/// Proves that a fleet's job is complete, and merges what its workers have recorded into one state.
package struct FleetCollector: Sendable {
    /// The options of `fleet collect`.
    package struct Options: Sendable {
        /// The state to merge into; nil for `collected/state.sqlite` in a store that is a folder, and none in a bucket.
        package var stateFile: String?
        /// The folder for what is needed only meanwhile.
        package var scratch: String?
        /// True to remove the files of attempts that have lost.
        package var removesLost = false
        /// The part to prove, whose state is in the scratch folder; nil for the whole job.
        package var part: CollectPart?
        /// The number of parts whose results are merged; nil to prove all partitions here.
        package var parts: Int?
        /// True if a part writes the results of its items to the store.
        package var writesPartResults = false
        /// True if the parts' proofs are put together, and their states stay apart.
        package var onlyProves = false

        /// Creates the defaults.
        package init() {}
    }

    /// The most partitions whose proofs are read at the same time, and the most items of theirs; those of twice as many are in memory.
    private static let (chunkPartitions, chunkItems) = (8, 20_000)
    /// The files of partitions that are in memory at the same time, while they are copied.
    private static let filesAtOnce = 4
    /// The items of a part that are merged in one transaction, if the state has them already.
    static let pageCount = 10_000

    let store: FleetStore
    let plan: FleetPlan
    let manifest: Manifest
    let options: Options
    let scratch: ScratchFolder
    let environment: [String: String]

    /// Reads the plan of a store, if it may be trusted.
    /// - Throws: `RunError`; `forged` if nothing proves the plan, `wrongInput` if the state would be in a folder that others may
    ///   write to.
    package init(
        _ store: FleetStore,
        _ options: Options,
        environment: [String: String]
    ) async throws(RunError) {
        self.store = store
        self.options = options
        self.environment = environment
        plan = try await store.trustedPlan()
        if options.stateFile == nil, options.part == nil, !options.onlyProves, store.isFolder,
            try !store.isOwn()
        {
            throw .wrongInput(
                "others may write to \(store.place), and so to a state in it: name a file of yours with --state-file FILE"
            )
        }
        manifest = try await plan.manifest.read(from: store, environment: environment)
        scratch = try RunError.wrapping {
            let folder = WorkerScratch.folder(options.scratch, environment: environment)
            return try ScratchFolder(prefix: "nuke-batch-collect", in: folder)
        }
    }

    /// Checks every partition, merges those that are proven, and writes the results to the store.
    /// - Throws: `RunError` if the store or the state cannot be read or written. What contradicts itself is in the report.
    package func collect() async throws(RunError) -> CollectReport {
        try await RunError.wrapping {
            let listing = try await AttemptListing(store, of: plan)
            let state = try JobStore(path: statePath)
            var (report, shards): (CollectReport, Set<String>)
            do {
                defer { state.close() }
                (report, shards) = try await fill(state, listing)
                report.addClashes(try state.reader.clashingPaths(limit: CollectReport.mostClashes))
                try state.recordCollection(version: Version.current, exit: Int(report.exit.rawValue))
            }
            if report.contradictions.isEmpty {
                try await writeSums()
                if options.removesLost {
                    report.removed = try await LostAttempts(listing, in: store, of: manifest).remove(
                        keeping: shards
                    )
                }
            }
            try await CollectedResults(self).write(report, shards)
            try writeManifest()
            if options.removesLost, report.contradictions.isEmpty { try await removeParts() }
            return report
        }
    }

    /// Fills the state with the results of proven partitions; returns the report, and the names of the shards that hold their outputs.
    private func fill(_ state: JobStore, _ listing: AttemptListing) async throws -> (
        CollectReport, Set<String>
    ) {
        if let parts = options.parts { return try await mergeParts(parts, listing, into: state) }
        var report = CollectReport(plan, listing)
        // A state of one's own is that of the job, which may have been planned in another store.
        if try options.stateFile == nil || state.reader.revision() == nil {
            try await planItems(of: plan.partitions, into: state)
        }
        let shards = try await prove(plan.partitions, listing, into: state, report: &report)
        return (report, shards)
    }

    /// Merges the partitions that are proven, and adds all to the report; returns the names of the shards that hold their outputs.
    func prove(
        _ entries: [PlannedPartition],
        _ listing: AttemptListing,
        into state: JobStore,
        report: inout CollectReport
    ) async throws -> Set<String> {
        var shards = Set<String>()
        let committed = entries.filter { listing.commits.contains($0.partition) }
        var unproven = Set(entries.map(\.partition)).subtracting(listing.commits)
        let chunks = Self.chunks(of: committed)
        // The next ones are read while those before are merged.
        var next = chunks.first.map { entries in Task { try await proofs(of: entries, listing) } }
        defer { next?.cancel() }
        for index in chunks.indices {
            let results = try await next?.value ?? []
            next = chunks.dropFirst(index + 1).first.map { entries in
                Task { try await proofs(of: entries, listing) }
            }
            for result in results {
                switch result {
                case .success(let proof):
                    try merge(proof, into: state)
                    report.add(proof.commit)
                    shards.formUnion(proof.shards)
                case .failure(let contradiction):
                    unproven.insert(contradiction.partition)
                    report.contradictions.append(contradiction.description)
                }
            }
        }
        report.unproven = unproven.sorted()
        return shards
    }

    /// Splits partitions into chunks whose proofs are in memory together.
    private static func chunks(of entries: [PlannedPartition]) -> [[PlannedPartition]] {
        var chunks: [[PlannedPartition]] = []
        var items = 0
        for entry in entries {
            items += entry.items
            if let last = chunks.indices.last, chunks[last].count < chunkPartitions, items <= chunkItems {
                chunks[last].append(entry)
            } else {
                chunks.append([entry])
                items = entry.items
            }
        }
        return chunks
    }

    /// Writes what sums up all items: markup, and the index of a dataset.
    private func writeSums() async throws {
        guard !manifest.markups.isEmpty || manifest.dataset?.index != nil else { return }
        var run = RunOptions()
        run.state = statePath
        run.onlyFinishes = true
        let report = try await BatchRunner(manifest: manifest, options: run).run()
        if let trouble = report.trouble { throw RunError.machine(trouble) }
    }

    private func proofs(
        of entries: [PlannedPartition],
        _ listing: AttemptListing
    ) async throws -> [Result<PartitionProof, PartitionProof.Contradiction>] {
        try await FleetStore.map(entries, width: 8) { [store, plan] entry in
            do {
                let attempts = listing.attempts[entry.partition] ?? AttemptListing.Attempts()
                return .success(try await PartitionProof(entry, of: plan, attempts, in: store))
            } catch let error as PartitionProof.Contradiction {
                return .failure(error)
            }
        }
    }

    private func merge(_ proof: PartitionProof, into state: JobStore) throws {
        let items = proof.rows.compactMap(MergedItem.init)
        guard try state.merge(items, at: proof.commit.endedMilliseconds) == items.count else {
            throw otherJob(state, "partition \(proof.commit.partition)")
        }
    }

    func otherJob(_ state: JobStore, _ lacking: String) -> RunError {
        .wrongInput(
            "\(state.path) is the state of another job, which lacks items of \(lacking): name a new file with --state-file"
        )
    }

    /// Plans the items of partitions into a state.
    func planItems(of entries: [PlannedPartition], into state: JobStore) async throws {
        var run = RunOptions()
        run.state = state.path
        var job = manifest
        job.plannedItems = try await FleetStore.map(entries, width: Self.filesAtOnce) {
            [store, scratch] entry in
            let file = "\(scratch.path)/\(FleetKey.digits(entry.partition)).jsonl.gz"
            try await store.items(of: entry).file.write(to: URL(fileURLWithPath: file))
            return PlannedItemFile(
                path: file,
                name: FleetKey.items(entry.partition),
                items: entry.items,
                sha256: entry.sha256.description
            )
        }
        _ = try await Planner(job, run, loaded: LoadedSources()).planOnThread(into: state)
    }

    /// The absolute path of the state.
    package var statePath: String {
        if let path = options.stateFile {
            return FilePath.absolute(path, in: FileManager.default.currentDirectoryPath)
        }
        return store.isFolder ? store.appending("collected/state.sqlite") : "\(scratch.path)/state.sqlite"
    }

    /// The manifest by which other commands find the state and the outputs; nil if the state has another place.
    package var manifestPath: String? {
        guard store.isFolder, options.stateFile == nil else { return nil }
        return store.appending("collected/\(FilePath.stem(of: plan.manifest.path)).json")
    }

    private func writeManifest() throws {
        guard let path = manifestPath else { return }
        let json: CanonicalJSON = [
            "include": .string(Variables.escaped(plan.manifest.path)),
            "destination": .string(Variables.escaped(manifest.destination.description)),
            "state": .string("state.sqlite"),
        ]
        try ResultFile.write(Data((json.text + "\n").utf8), to: path)
    }
}

extension MergedItem {
    /// The end of an item; nil for one that is deferred.
    init?(_ row: AttemptRow) {
        guard let state = ItemState(rawValue: row.state.rawValue) else { return nil }
        self.init(
            ordinal: row.ordinal,
            key: row.key,
            state: state,
            error: row.error,
            message: row.message,
            attempts: row.attempts,
            originalSHA256: row.original?.description,
            facts: row.facts,
            outputs: row.outputs.map(OutputRecord.init)
        )
    }
}

extension OutputRecord {
    init(_ output: AttemptRow.Output) {
        self.init(name: output.name, recipe: output.recipe, state: output.state, reason: output.reason) {
            $0.path = output.path?.description
            $0.bytes = output.bytes
            $0.sha256 = output.sha256?.description
            $0.width = output.width
            $0.height = output.height
            $0.format = output.format?.rawValue
            $0.encoder = output.encoder
            $0.shardOffset = output.offset
            $0.quality = output.quality
            $0.ssimulacra2 = output.ssimulacra2
            $0.shortfall = output.shortfall
        }
    }
}
