import Datasets
import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage

/// The stage "write": writes encoded outputs durably under their names in the destination, and returns their records.
struct OutputFile: OutputDestination {
    let destination: Folder
    let staging: StagingFolder
    let writer: DurableWriter
    let claims: OutputPathClaims
    /// Reads files that may be outputs already.
    private let reading = WorkQueue(name: "adopt", width: 2)
    /// Makes files durable that someone else has put there, all at once.
    private let syncing: OnceTask<Void>

    /// Creates the stage for a folder.
    init(_ destination: Folder, writer: DurableWriter, claims: OutputPathClaims) {
        (self.destination, self.writer, self.claims) = (destination, writer, claims)
        staging = StagingFolder(in: destination)
        syncing = OnceTask { destination.syncFileSystem() }
    }

    /// Writes the outputs of `item`; the result has an entry for each, in their order, including failed ones.
    /// - Throws: `ItemError` for a local problem, which no output caused.
    func write(_ rendering: Rendering, of item: OutputItem) async throws(ItemError) -> [OutputRecord] {
        var results: [OutputRecord] = []
        let names = rendering.outputs.map(\.recipe.output.name)
        let claimant = OutputPathClaims.Claimant(item: item.claimed.itemID, outputs: names)
        let refusal = try await claims.takeSets(of: rendering, item, for: claimant) {
            path throws(FileError) in
            try destination.examine(path) != nil
        }
        for output in rendering.outputs {
            switch output.result {
            case .encoded where refusal != nil && output.recipe.output.path.isSetDecidedInWriting:
                results.append(.failed(output.recipe, refusal ?? .interrupted))
            case .encoded(let encoded):
                do throws(ItemError) {
                    results.append(try await write(encoded, by: output.recipe, of: item, for: claimant))
                } catch {
                    guard error.handling == .permanent else { throw error }
                    results.append(.failed(output.recipe, error))
                }
            case .skipped(let reason):
                results.append(.skipped(output.recipe, reason: reason))
            case .failed(let error):
                results.append(.failed(output.recipe, error))
            }
        }
        try check()
        return results
    }

    /// Looks for a file that was moved to `path`, with the destination or without.
    func holds(_ made: OutputRecord, at path: String, of item: ClaimedItem) async throws(ItemError) -> Bool {
        guard let bytes = made.bytes, let sha256 = made.sha256 else { return false }
        do {
            let isThere = try await reading.run { [destination] in
                try destination.holds(path, size: bytes, sha256: sha256)
            }
            guard isThere else { return false }
            let claimant = OutputPathClaims.Claimant(item: item.itemID, outputs: [made.name])
            try await claims.take(path, sha256: sha256, for: claimant, distinction: "") { true }
        } catch let error as ItemError where error.code == .local {
            throw error
        } catch {
            // One that cannot be read, or that is another item's, is made, which shows why it cannot be.
            return false
        }
        await syncing.perform()
        return true
    }

    func modified(_ path: String) throws(ItemError) -> Date? {
        do throws(FileError) {
            let nanoseconds = try destination.examine(path)?.modified
            return nanoseconds.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
        } catch {
            guard !error.isLocalTrouble else { throw ItemError(.local, error.description) }
            return nil
        }
    }

    func release(_ item: ClaimedItem) {
        claims.release(item.itemID)
    }

    func close() {
        staging.close()
    }

    func check() throws(ItemError) {
        try destination.requirePlace()
    }

    private func write(
        _ encoded: RenderedOutput.Encoded,
        by recipe: Recipe,
        of item: OutputItem,
        for claimant: OutputPathClaims.Claimant
    ) async throws(ItemError) -> OutputRecord {
        let path = item.path(of: encoded, by: recipe)
        let record = OutputRecord(made: encoded, by: recipe, of: item.original, path: path)
        let (isKnown, id) = (item.claimed.outputs.contains { $0.isAt(path) }, item.claimed.itemID)
        let keeps = recipe.output.existing == .keep
        do {
            if keeps, !isKnown, try await isOthers(path) {
                return .skipped(recipe, reason: OutputRecord.exists)
            }
            // Planned paths differ; one that is known only after rendering may be that of any other output.
            try await claims.take(
                path,
                sha256: encoded.sha256,
                for: claimant,
                distinction: recipe.output.path.missingDistinction
            ) { () throws(FileError) in
                try destination.examine(path) != nil
            }
            if !isKnown, keeps || claims.amongSources.contains(recipe.output.entry) {
                try await claims.announce(record, of: id)
            }
            let shared = recipe.isCopy ? await item.original.sharedFile() : nil
            try await writer.write(encoded.data, sharing: shared, to: path, in: destination, staging: staging)
        } catch let error as FileError {
            throw try await explain(error, at: path, of: id)
        } catch {
            throw ItemError(error)
        }
        return record
    }

    /// Returns true if a file is at `path` that the job has not written.
    private func isOthers(_ path: String) async throws -> Bool {
        guard try destination.examine(path) != nil else { return false }
        return try await !claims.isOwn(path) { bytes, sha256 in
            try await reading.run { [destination] in try destination.holds(path, size: bytes, sha256: sha256)
            }
        }
    }

    /// Returns the item's error for an output that could not be written: trouble of the destination is local, unless the
    /// item's own path is the cause.
    /// - Throws: `ItemError` of code `collision` if another output is in the way, `local` if the destination has moved.
    private func explain(_ error: FileError, at path: String, of item: Int64) async throws(ItemError)
        -> ItemError
    {
        if error.isAboutName, !StagingFolder.isCause(of: error) {
            return ItemError(.processing, error.description)
        }
        try check()
        switch error.code {
        case ENOTDIR:
            try await claims.requireNoCrossing(path, item: item)
            return ItemError(.local, error.description)
        case EISDIR:
            try await claims.requireNoCrossing(path, item: item)
            return ItemError(.local, "\(error): a folder has the name of the file; move it away")
        default:
            return ItemError(.local, error.description)
        }
    }
}

extension OutputRecord {
    /// The record of an output that was made.
    init(made encoded: RenderedOutput.Encoded, by recipe: Recipe, of original: Original, path: String) {
        self.init(name: recipe.output.name, recipe: recipe.digest, state: .done) {
            $0.path = path
            $0.spec = recipe.specification(originalSHA256: original.sha256)
            $0.bytes = encoded.data.count
            $0.sha256 = encoded.sha256
            $0.width = encoded.size.width
            $0.height = encoded.size.height
            $0.format = encoded.format.rawValue
            $0.encoder = encoded.encoder
            $0.quality = encoded.quality
            $0.ssimulacra2 = encoded.score?.ssimulacra2
            $0.shortfall = encoded.score?.shortfall.map(OutputRecord.Shortfall.init)
        }
    }
}
