import Files
import Foundation
public import JobManifest
public import JobPlanning
import JobStorage
import Originals

/// Rebuilds a damaged state from its readable rows, the outputs on disk and the cache.
///
/// Nothing is trusted without proof. An output counts as made only if its row can be read, its file has the recorded
/// size and SHA-256, and the row's specification follows from the original's SHA-256 and the recipe. An original
/// without such an output counts only if the cache has the same one. Everything else becomes pending, and the next run
/// makes it again, from the cached originals if possible. The damaged file is kept beside the new one.
public struct StateRebuild: Sendable {
    /// The new path of the damaged state.
    public let aside: String
    /// The number of items of the job.
    public let items: Int
    /// The number of items that stay finished.
    public let finished: Int
    /// The number of outputs that match their records.
    public let outputs: Int
    /// Warnings, one sentence each.
    public let warnings: [String]

    /// Rebuilds the state of `manifest` if it is damaged; returns nil if it is intact or missing.
    /// - Throws: `RunError`: `held` during a run; `wrongInput` for lists that cannot be read, after which the new
    ///   state has what was salvaged.
    public static func perform(
        _ manifest: Manifest,
        options: RunOptions = RunOptions()
    ) async throws(RunError) -> StateRebuild? {
        try options.checkState(of: manifest)
        guard let folder = manifest.destination.folder else {
            throw .wrongInput(
                "doctor --rebuild compares outputs in a folder, not in \(manifest.destination): run the job with --fresh, "
                    + "which makes all outputs again from the cached originals"
            )
        }
        let path = options.statePath(of: manifest)
        return try await RunError.wrapping {
            guard let found = try StateInspection(path: path), !found.damage.isEmpty else { return nil }
            let loaded = try await SourceLoader.sources(of: manifest, options)
            let proof = try OutputProof(manifest, folder)
            defer { proof.close() }
            let rebuilt = try JobStore.rebuild(path: path) { try proof.check($0) }
            let store = try JobStore(path: path)
            defer { store.close() }
            let plan = try await Planner(manifest, options, loaded: loaded).planOnThread(into: store)
            let counts = try store.reader.counts()
            return StateRebuild(
                aside: rebuilt.aside,
                items: counts.total,
                finished: counts.total - counts.unfinished,
                outputs: rebuilt.outputs,
                warnings: plan.warnings
            )
        }
    }
}

/// Compares the rows of a damaged state with the files and the cache.
private final class OutputProof: Sendable {
    private let destination: Folder?
    private let cache: DataCache?
    private let limit: Int

    /// Opens the destination at `path` and the cache, as far as they exist.
    init(_ manifest: Manifest, _ path: String) throws {
        destination = try Presence.folder(path)
        cache = try DataCache.existing(in: manifest.cache.directory)
        limit = 1 << 32
    }

    func close() {
        cache?.close()
    }

    /// Returns the item with its proved outputs and original.
    /// - Throws: `FileError` for a file that cannot be read because of this machine.
    func check(_ item: SalvagedItem) throws(FileError) -> SalvagedItem? {
        let isMade = item.outputs.contains { $0.result.state == .done }
        let proved = try item.keeping { output throws(FileError) in try isProved(output, item.originalSHA256)
        }
        // The outputs of an item prove its original; without outputs, the cache must.
        guard item.state == .done, !isMade, !isCached(item) else { return proved }
        return proved.waiting
    }

    private func isProved(_ output: OutputRecord, _ originalSHA256: String?) throws(FileError) -> Bool {
        guard output.state == .done else { return true }
        guard let path = output.path, let bytes = output.bytes, let originalSHA256,
            output.spec == Digest.sha256.hex(of: originalSHA256 + output.recipe),
            let destination
        else { return false }
        do throws(FileError) {
            guard try destination.examine(path)?.size == bytes else { return false }
            return Digest.sha256.hex(of: try destination.read(path, limit: limit)) == output.sha256
        } catch {
            guard error.isLocalTrouble else { return false }
            throw error
        }
    }

    private func isCached(_ item: SalvagedItem) -> Bool {
        guard let key = item.cacheKey, let entry = cache?.metadata(for: key) else { return false }
        return Digest.hex(entry.sha256) == item.originalSHA256
    }
}
