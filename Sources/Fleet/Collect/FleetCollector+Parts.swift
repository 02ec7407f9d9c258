import Files
import Foundation
import JobManifest
package import JobPlanning
import JobStorage
import ObjectStorage

/// A collection in parts: each proves a share of the partitions, and the last call makes one state of theirs.
extension FleetCollector {
    /// Proves the partitions of `part`, which is that of the options, and writes its state to the store.
    ///
    /// Of a part that has proven the same commits before, the result is only read again.
    /// - Returns: The number of its partitions that are proven.
    /// - Throws: `RunError`; `forged` if others may write to the store and there is no secret.
    package func collect(_ part: CollectPart) async throws(RunError) -> Int {
        try await RunError.wrapping {
            let secret = try CollectSecret.read(environment, for: store)
            let entries = Array(plan.partitions[part.partitions(of: plan.partitions.count)])
            let listing = try await AttemptListing(store, of: plan)
            if let record = try? await store.record(of: part, in: plan.hash, secret: secret),
                record.version == Version.current,
                try await hasResults(of: part),
                try await commits(of: entries, listing).digest == record.commits,
                try await store.hasPieces(of: record, part: part)
            {
                return entries.count { listing.commits.contains($0.partition) } - record.refused.count
            }
            // A record of before must not name what is in the store from now on.
            try await store.remove(FleetKey.record(part))
            var shards = Set<String>()
            var (pieces, files): ([PartRecord.Piece], [PartRecord.Piece]) = ([], [])
            let digest = try await commits(of: entries, listing).digest
            var report = CollectReport(plan, listing)
            let known = report.contradictions.count
            if !entries.isEmpty {
                let path = partStatePath
                let state = try JobStore(path: path)
                do {
                    defer { state.close() }
                    try await planItems(of: entries, into: state)
                    shards = try await prove(entries, listing, into: state, report: &report)
                }
                if options.writesPartResults { try await results(of: part).writeItems() }
                pieces = try await store.writePieces(of: path, part: part)
                files = try await writeFiles(ofState: path, part: part)
            }
            var record = PartRecord(
                plan: plan.hash,
                part: part.number,
                parts: part.count,
                version: Version.current,
                commits: digest,
                refused: report.unproven.filter(listing.commits.contains),
                contradictions: Array(report.contradictions.dropFirst(known)),
                shards: shards.sorted().compactMap { OutputName(parsing: $0) },
                pieces: pieces,
                files: files
            )
            if let secret { record.code = record.code(by: secret) }
            try await store.write(Data(JSONLine.text(record).utf8), at: FleetKey.record(part))
            return report.proven
        }
    }

    /// Puts the proofs of all parts together, and writes the report and the places of the shards to the store.
    ///
    /// The parts' states stay where they are, so that this takes about as long as reading the commits does. Paths that items of
    /// two parts have written are found by their digests.
    /// - Throws: `RunError`; `forged` for the record of a part that cannot be believed.
    package func proveParts(_ count: Int) async throws(RunError) -> CollectReport {
        try await RunError.wrapping {
            let secret = try CollectSecret.read(environment, for: store)
            let listing = try await AttemptListing(store, of: plan)
            var (report, shards) = (CollectReport(plan, listing), Set<String>())
            var records: [PartRecord] = []
            for part in CollectPart.all(of: count) {
                records.append(try await provenRecord(of: part, listing, secret: secret, report: &report))
                shards.formUnion(records[records.count - 1].shards.map(\.description))
            }
            report.addClashes(try await clashingPaths(of: records))
            try await CollectedResults(self).writeSums(report, shards)
            return report
        }
    }

    var partStatePath: String { "\(scratch.path)/part.sqlite" }

    /// True if the store has all results of a part that it should have.
    private func hasResults(of part: CollectPart) async throws -> Bool {
        guard options.writesPartResults else { return true }
        return try await results(of: part).areThere()
    }

    private func results(of part: CollectPart) -> CollectedResults {
        CollectedResults(self, ofState: partStatePath, in: FleetKey.part(part))
    }

    /// Makes one state of those of all parts; returns the report, and the names of the shards of proven partitions.
    func mergeParts(
        _ count: Int,
        _ listing: AttemptListing,
        into state: JobStore
    ) async throws -> (CollectReport, Set<String>) {
        let secret = try CollectSecret.read(environment, for: store)
        var (report, shards) = (CollectReport(plan, listing), Set<String>())
        let isNew = try state.reader.revision() == nil
        var (lists, manifestSHA256) = ([String](), "")
        if isNew { try state.beginAbsorbing() }
        for part in CollectPart.all(of: count) {
            let record = try await provenRecord(of: part, listing, secret: secret, report: &report)
            shards.formUnion(record.shards.map(\.description))
            guard !record.pieces.isEmpty else { continue }
            let path = partStatePath
            try await store.readPieces(of: record, part: part, to: path)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let entries = plan.partitions[part.partitions(of: plan.partitions.count)]
            let revision = try partRevision(at: path, part, items: entries.reduce(0) { $0 + $1.items })
            lists.append(revision.lists)
            manifestSHA256 = revision.manifestSHA256
            if isNew { try state.absorb(path) } else { try merge(part, at: path, into: state) }
        }
        if isNew {
            try state.finishAbsorbing(lists: lists.joined(separator: "\n"), manifestSHA256: manifestSHA256)
        }
        return (report, shards)
    }

    /// Removes what parts have left, which the state has now.
    func removeParts() async throws(RunError) {
        var keys: [String] = []
        try await store.forEachKey(below: FleetKey.parts) { keys.append($0.key) }
        for key in keys { try await store.remove(key) }
    }

    /// Returns the record of a part that has proven the commits that are in the store now, and adds them to the report.
    private func provenRecord(
        of part: CollectPart,
        _ listing: AttemptListing,
        secret: String?,
        report: inout CollectReport
    ) async throws -> PartRecord {
        guard let record = try await store.record(of: part, in: plan.hash, secret: secret) else {
            throw RunError.machine(
                "part \(part) has no result in \(store.place): run nuke-batch fleet collect --part \(part)"
            )
        }
        let key = store.appending(FleetKey.record(part))
        guard record.version == Version.current else {
            throw RunError.forged(
                "\(key): version is \(record.version), and this is \(Version.current): \(part.remedy)"
            )
        }
        let entries = Array(plan.partitions[part.partitions(of: plan.partitions.count)])
        let refused = Set(record.refused)
        let (commits, digest) = try await commits(of: entries, listing)
        guard digest == record.commits, refused.isSubset(of: entries.map(\.partition)) else {
            throw RunError.forged(
                "\(key): commits are not those of the store: they were changed since: \(part.remedy)"
            )
        }
        for commit in commits where !refused.contains(commit.partition) { report.add(commit) }
        report.unproven += entries.map(\.partition).filter {
            refused.contains($0) || !listing.commits.contains($0)
        }
        report.contradictions += record.contradictions
        return record
    }

    /// Returns the commits of partitions that can be read, in their order, and their digest.
    private func commits(
        of entries: [PlannedPartition],
        _ listing: AttemptListing
    ) async throws -> (commits: [PartitionCommit], digest: SHA256Name) {
        let committed = entries.map(\.partition).filter(listing.commits.contains)
        let commits = try await FleetStore.map(committed) { [store, plan] partition -> PartitionCommit? in
            do throws(RunError) { return try await store.commit(of: partition, in: plan.hash) } catch {
                guard error.exit == .giveUp else { throw error }
                return nil
            }
        }.compactMap(\.self)
        var digest = CommitsDigest()
        for commit in commits { digest.add(commit, listing.attempts[commit.partition]) }
        return (commits, digest.name)
    }

    /// Checks that the file of a part is a state of this release with as many items as its partitions have.
    private func partRevision(at path: String, _ part: CollectPart, items: Int) throws -> Revision {
        guard let reader = try JobReader(path: path), let revision = try reader.revision(),
            revision.items == items
        else {
            throw RunError.forged(
                "the state of part \(part) does not have the \(Quantity.count(items, "item")) of its partitions: \(part.remedy)"
            )
        }
        return revision
    }

    /// Records the ends of a part's items in a state that has the items already.
    private func merge(_ part: CollectPart, at path: String, into state: JobStore) throws {
        guard let reader = try JobReader(path: path) else { throw RunError.machine("cannot read \(path)") }
        var page = try reader.items(limit: Self.pageCount)
        while let last = page.last {
            for (time, records) in Dictionary(grouping: page, by: \.updated) {
                let items = records.compactMap { MergedItem(AttemptRow($0)) }
                guard try state.merge(items, at: time) == items.count else {
                    throw otherJob(state, "part \(part)")
                }
            }
            page = try reader.items(after: last, limit: Self.pageCount)
        }
    }
}
