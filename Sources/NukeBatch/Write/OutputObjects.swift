import Datasets
import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The stage "write" for a bucket: writes encoded outputs as objects under their keys, and returns their records.
///
/// An object that the store has answered for is durable; only then is it recorded. A request whose answer was lost is sent
/// again, which changes nothing: equal keys get equal bytes.
struct OutputObjects: OutputDestination {
    /// The most by which the clocks of the store and of this machine may differ: stores refuse requests above it.
    private static let clockSkew: TimeInterval = 15 * 60

    let store: S3Store
    let requests: StoppableRequests
    let claims: OutputPathClaims
    /// True if objects that were moved to their new keys are looked for: a request for each output (`--check`).
    let looksForMoved: Bool
    /// The start of the job's first run; nil in that run.
    let firstRun: Date?

    /// Writes the outputs of `item`, all at once; the result has an entry for each, in their order, including failed ones.
    /// - Throws: `ItemError` for a problem that is not the item's.
    func write(_ rendering: Rendering, of item: OutputItem) async throws(ItemError) -> [OutputRecord] {
        let names = rendering.outputs.map(\.recipe.output.name)
        let claimant = OutputPathClaims.Claimant(item: item.claimed.itemID, outputs: names)
        let refusal = try await claims.takeSets(of: rendering, item, for: claimant) { _ in true }
        let results = await withTaskGroup(of: (Int, Result<OutputRecord, ItemError>).self) { group in
            for (index, output) in rendering.outputs.enumerated() {
                if let refusal, case .encoded = output.result, output.recipe.output.path.isSetDecidedInWriting
                {
                    group.addTask { (index, .success(.failed(output.recipe, refusal))) }
                    continue
                }
                group.addTask { (index, await result(of: output, of: item, for: claimant)) }
            }
            var results: [Int: Result<OutputRecord, ItemError>] = [:]
            for await (index, result) in group { results[index] = result }
            return rendering.outputs.indices.compactMap { results[$0] }
        }
        var written: [OutputRecord] = []
        for result in results { written.append(try result.get()) }
        return written
    }

    /// Finds outputs that are not to replace an object, before anything is rendered.
    ///
    /// Only objects that are older than the job count: a newer one may be of a run that was killed before it recorded it, which
    /// the bytes will show.
    func existing(_ recipes: [Recipe], of item: OutputItem) async throws(ItemError) -> [OutputRecord] {
        var found: [OutputRecord] = []
        for recipe in recipes where recipe.output.existing == .keep {
            guard recipe.output.path.isKnownInPlanning else { continue }
            let path = recipe.output.path.planned(for: item.planned)
            guard !item.claimed.outputs.contains(where: { $0.isAt(path) }),
                let modified = try await head(path)?.modified,
                modified.addingTimeInterval(Self.clockSkew) < firstRun ?? Date(),
                try await !isOwn(path)
            else { continue }
            found.append(.skipped(recipe, reason: OutputRecord.exists))
        }
        return found
    }

    /// Asks for the object at a new key; only a digest that the store returns counts.
    func holds(_ made: OutputRecord, at path: String, of item: ClaimedItem) async throws(ItemError) -> Bool {
        guard looksForMoved, let sha256 = made.sha256, let facts = try await head(path) else { return false }
        guard facts.size == made.bytes, facts.sha256 == sha256 else { return false }
        let claimant = OutputPathClaims.Claimant(item: item.itemID, outputs: [made.name])
        do {
            try await claims.take(path, sha256: sha256, for: claimant, distinction: "") { true }
            return true
        } catch let error as ItemError where error.code == .local {
            throw error
        } catch {
            // It is another item's: the output is made, which reports it.
            return false
        }
    }

    func release(_ item: ClaimedItem) {
        claims.release(item.itemID)
    }

    func stop() {
        requests.stop()
    }

    private func result(
        of output: RenderedOutput,
        of item: OutputItem,
        for claimant: OutputPathClaims.Claimant
    ) async -> Result<OutputRecord, ItemError> {
        switch output.result {
        case .encoded(let encoded):
            do throws(ItemError) {
                return .success(try await write(encoded, by: output.recipe, of: item, for: claimant))
            } catch {
                return error.handling == .permanent
                    ? .success(.failed(output.recipe, error)) : .failure(error)
            }
        case .skipped(let reason): return .success(.skipped(output.recipe, reason: reason))
        case .failed(let error): return .success(.failed(output.recipe, error))
        }
    }

    private func write(
        _ encoded: RenderedOutput.Encoded,
        by recipe: Recipe,
        of item: OutputItem,
        for claimant: OutputPathClaims.Claimant
    ) async throws(ItemError) -> OutputRecord {
        let path = item.path(of: encoded, by: recipe)
        let record = OutputRecord(made: encoded, by: recipe, of: item.original, path: path)
        let isKnown = item.claimed.outputs.contains { $0.isAt(path) }
        do {
            // The state alone decides: a request for each output would cost more than a look into it.
            try await claims.take(
                path,
                sha256: encoded.sha256,
                for: claimant,
                distinction: recipe.output.path.missingDistinction
            ) { true }
        } catch {
            throw ItemError(error)
        }
        if !isKnown, claims.amongSources.contains(recipe.output.entry) {
            try await claims.announce(record, of: item.claimed.itemID)
        }
        let attributes = recipe.output.object.attributes(of: encoded.format.mediaType)
        if recipe.output.existing == .keep, !isKnown {
            let isAdded = try await perform { store throws(StoreError) in
                try await store.add(Payload(encoded.data), at: path, attributes)
            }
            if isAdded { return record }
            // Only then, since a look into the state for each new object would wait for its commits.
            guard try await isOwn(path) else { return .skipped(recipe, reason: OutputRecord.exists) }
        }
        try await perform { store throws(StoreError) in
            try await store.putWhole(Payload(encoded.data), at: path, attributes)
        }
        return record
    }

    /// Returns true if the job has written the object at `path`, which is read only if the store keeps no digest of it.
    private func isOwn(_ path: String) async throws(ItemError) -> Bool {
        do {
            return try await claims.isOwn(path) { bytes, sha256 in
                guard let facts = try await head(path), facts.size == bytes else { return false }
                if let stored = facts.sha256 { return stored == sha256 }
                let data = try await perform { store throws(StoreError) in
                    try await store.get(path, limit: bytes)
                }
                return Digest.sha256.hex(of: data) == sha256
            }
        } catch {
            throw ItemError(error)
        }
    }

    private func head(_ path: String) async throws(ItemError) -> ObjectFacts? {
        try await perform { store throws(StoreError) in try await store.head(path) }
    }

    private func perform<Value: Sendable>(
        _ request: @escaping @Sendable (S3Store) async throws(StoreError) -> Value
    ) async throws(ItemError) -> Value {
        do throws(StoreError) {
            return try await requests.perform { [store] () throws(StoreError) in try await request(store) }
        } catch {
            throw ItemError(error, writing: store)
        }
    }
}

extension ImageFormat {
    /// The media type that IANA has registered.
    fileprivate var mediaType: String {
        switch self {
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        default: "image/\(rawValue)"
        }
    }
}
