package import Files
import Foundation
public import JobManifest
package import JobStorage

/// The work of the next run, found by planning into a temporary copy of the state with the code of the run.
public struct Forecast: Sendable, Encodable {
    /// The numbers of outputs by action.
    public struct Outputs: Sendable, Encodable {
        /// Outputs to make.
        public let make: Int
        /// Outputs that already exist.
        public let keep: Int
        /// Orphaned outputs.
        public let prune: Int
    }

    /// The number of distinct items of the manifest.
    public let items: Int
    /// The number of items that the state does not have.
    public let new: Int
    /// The number of items with outputs to remake.
    public let changed: Int
    /// The number of items that are done or skipped.
    public let done: Int
    /// The number of failed items that wait for `retry`.
    public let failed: Int
    /// The number of rows that repeat another row.
    public let duplicates: Int
    /// The outputs by action.
    public let outputs: Outputs
    /// The originals by source.
    public let originals: OriginalsForecast.Originals
    /// The reasons for the work, the most outputs (or else items) first; the outputs add up to those to make.
    public let reasons: [Reason]
    /// Warnings, one sentence each.
    public let warnings: [String]
    /// The number of items that the manifest no longer lists.
    package let gone: Int

    private enum CodingKeys: String, CodingKey {
        case items, new, changed, done, failed, duplicates, outputs, originals, reasons
    }

    /// Plans `manifest` with `options` and what its sources hold in other places; calls `body` with each item as the run
    /// would find it and the reasons for which it has work, streamed.
    ///
    /// Loads only sitemaps and listings, and leaves no files: the copy is in the system's temporary folder until this returns.
    /// - Throws: `RunError`.
    public init(
        manifest: Manifest,
        options: RunOptions = RunOptions(),
        forEachItem body: ((Item) -> Void)? = nil
    ) async throws(RunError) {
        try await self.init(manifest: manifest, options: options, retrying: nil, forEachItem: body)
    }

    /// Forecasts a run before which the failed items that fit `filter` are requeued; nil requeues none.
    ///
    /// With `old`, the run is the first one after all of that manifest was done, and the state of the job is not looked at.
    /// `goneItem` is called with the URL of each item that the manifest no longer lists.
    package init(
        manifest: Manifest,
        options: RunOptions,
        retrying filter: ItemFilter?,
        since old: Manifest? = nil,
        forEachItem body: ((Item) -> Void)? = nil,
        forEachGone goneItem: ((String) -> Void)? = nil
    ) async throws(RunError) {
        do {
            let manifest =
                try old == nil ? options.applied(to: manifest) : options.appliedWithoutState(to: manifest)
            // Before the copy of the state, which would wait for slow servers.
            let sources: Result<LoadedSources, RunError>
            do throws(RunError) {
                sources = .success(try await SourceLoader.sources(of: manifest, options))
            } catch {
                sources = .failure(error)
            }
            let folder = try ScratchFolder.forPlanning()
            let path = options.statePath(of: manifest)
            let isCopied = old == nil && !options.isFresh
            let store = try JobStore(path: try folder.statePath(copying: isCopied ? path : nil))
            defer { withExtendedLifetime(folder) { store.close() } }
            if let old { try await Self.assumeDone(old, options, in: store) }
            if let filter { try store.requeueFailed(filter) }
            if goneItem != nil { try store.noteListed() }
            let last = try store.reader.lastItemID()
            let requeuing = try RequeuePolicy(manifest, options: options, store: store)
            var lostSource: String?
            let plan: Planner.Summary
            do {
                plan = try await Planner(manifest, options, loaded: sources.get()).planOnThread(into: store)
            } catch {
                let last = try Planner.lastPlan(of: manifest, options, in: store, insteadOf: error)
                (plan, lostSource) = (last.plan, last.warning)
            }
            let before = try store.reader.counts()
            var (lost, missing): (String?, String?)
            if old == nil {
                try requeuing.begin()
                lost = try CacheCheck(manifest, isOffline: options.isOffline, store: store)?.perform()
                missing = try await OutputCheck(manifest, options: options, store: store)?.perform()
            }
            let (counts, outputs) = (try store.reader.counts(), try store.reader.outputCounts())
            items = counts.total
            new = plan.counts?.new ?? 0
            changed = plan.counts?.changed ?? 0
            done = before[.done] + before[.skipped]
            failed = before[.failed] + before[.quarantined]
            duplicates = plan.duplicates
            gone = plan.counts?.left ?? 0
            self.outputs = Outputs(make: outputs.make, keep: outputs.keep, prune: outputs.prune)
            let forecast = try OriginalsForecast(manifest, options: options, known: store.reader)
            originals = try forecast.originals()
            warnings =
                plan.warnings + [lostSource, lost, missing].compactMap(\.self) + forecast.warnings(originals)
            reasons = try store.reader.workCounts(newAfter: last).map { Reason($0) }.sorted(
                by: Reason.precedes
            )
            if let body {
                try store.reader.forEachItem { item in
                    let work =
                        item.state.isFinished ? [] : try store.reader.work(on: item.itemID, newAfter: last)
                    let reasons = work.map { Reason($0) }.sorted(by: Reason.precedes)
                    var listing = ItemListing(item)
                    // What is assumed to be done has no files.
                    if old != nil { listing.outputs = [] }
                    body(Item(listing: listing, reasons: reasons))
                }
            }
            if let goneItem { try store.reader.forEachGone { goneItem(ItemListing.withoutUser($0)) } }
        } catch {
            throw RunError(error)
        }
    }

    /// Plans a manifest into an empty store, as if a run had done all of it.
    private static func assumeDone(_ manifest: Manifest, _ options: RunOptions, in store: JobStore)
        async throws
    {
        let manifest = try options.appliedWithoutState(to: manifest)
        let loaded = try await SourceLoader.sources(of: manifest, options)
        _ = try await Planner(manifest, options, loaded: loaded).planOnThread(into: store)
        try store.assumeDone(facts: manifest.facts.map(\.rawValue).sorted())
    }
}

extension ScratchFolder {
    /// A folder in the system's temporary folder, for a planning that must leave no files beside the state.
    package static func forPlanning() throws(FileError) -> ScratchFolder {
        try ScratchFolder(prefix: "nuke-batch-plan", in: FileManager.default.temporaryDirectory.path)
    }

    /// Returns the path of a state in the folder: a copy of the one at `path`, or none yet.
    package func statePath(copying path: String?) throws -> String {
        let copy = self.path + "/plan.sqlite"
        if let path, try Presence.exists(path) { try JobReader.copyState(at: path, to: copy) }
        return copy
    }
}
