import Files
import Foundation
public import JobManifest
public import JobPlanning
import JobStorage
import Nuke

/// Makes a damaged state anew from what can be read of it, from the outputs on the disk and from the cache.
///
/// Nothing is believed that is not proved. An output counts as made only if its row can be read, its file has the bytes and the
/// SHA-256 that the row says, and the row's specification follows from the original's SHA-256 and the recipe; an original only if
/// the cache has the same one, where no output proves it. Everything else waits, and the next run makes it again, from the
/// cache where that has the original. The damaged file is kept beside the new one.
public struct StateRebuild: Sendable {
    /// The new path of the damaged state.
    public let aside: String
    /// Items of the job.
    public let items: Int
    /// Those that are finished as they were.
    public let finished: Int
    /// Outputs that were proved to be there.
    public let outputs: Int
    /// Warnings, one sentence each.
    public let warnings: [String]

    /// Rebuilds the state of `manifest` if it is damaged; answers nil if it is whole or there is none.
    /// - Throws: `RunError`: `held` while a run is going on; `wrongInput` for lists that cannot be read, after which the new
    ///   state has what was salvaged.
    public static func perform(
        _ manifest: Manifest,
        options: RunOptions = RunOptions(),
        sitemaps loader: any SitemapLoading
    ) async throws(RunError) -> StateRebuild? {
        let path = options.statePath(of: manifest)
        guard let found = StateInspection(path: path), !found.damage.isEmpty else { return nil }
        do {
            let sitemaps = try await loader.sitemaps(of: manifest, options: options)
            let proof = OutputProof(manifest)
            defer { proof.close() }
            let rebuilt = try JobStore.rebuild(path: path) { proof.check($0) }
            let store = try JobStore(path: path)
            defer { store.close() }
            let plan = try Planner(manifest, options, sitemaps: sitemaps).plan(into: store)
            let counts = try store.reader.counts()
            return StateRebuild(
                aside: rebuilt.aside,
                items: counts.total,
                finished: counts.total - counts.unfinished,
                outputs: rebuilt.outputs,
                warnings: plan.warnings
            )
        } catch {
            throw RunError(error)
        }
    }
}

/// Compares what a damaged state says with what is there.
private final class OutputProof: Sendable {
    private let destination: Folder?
    private let cache: DataCache?
    private let limit: Int

    init(_ manifest: Manifest) {
        destination = try? Folder(path: manifest.destinationPath)
        let folder = manifest.cache.directory
        let isThere = FileManager.default.fileExists(atPath: folder)
        cache = isThere ? try? DataCache(path: URL(fileURLWithPath: folder, isDirectory: true)) : nil
        limit = 1 << 32
    }

    func close() {
        cache?.close()
    }

    /// The item with what is proved of it.
    func check(_ item: SalvagedItem) -> SalvagedItem? {
        let isMade = item.outputs.contains { $0.result.state == .done }
        let proved = item.keeping { isProved($0, item.originalSHA256) }
        // Of an item that has outputs these name its original; otherwise the cache must.
        guard item.state == .done, !isMade, !isCached(item) else { return proved }
        return proved.waiting
    }

    private func isProved(_ output: OutputResult, _ originalSHA256: String?) -> Bool {
        guard output.state == .done else { return true }
        guard let path = output.path, let bytes = output.bytes, let originalSHA256,
            output.spec == Digest.sha256.hex(of: originalSHA256 + output.recipe),
            destination?.status(of: path)?.size == bytes,
            let data = try? destination?.read(path, limit: limit)
        else { return false }
        return Digest.sha256.hex(of: data) == output.sha256
    }

    private func isCached(_ item: SalvagedItem) -> Bool {
        guard let key = item.cacheKey, let entry = cache?.metadata(for: key) else { return false }
        return Digest.hex(entry.sha256) == item.originalSHA256
    }
}
