import Foundation
public import JobManifest
public import JobPlanning
import JobStorage
import Originals
import ObjectStorage
import Transport

/// Finds items by URL, id or path, and explains them from the state, the cache and the outputs.
public struct ItemExplainer: Sendable {
    /// The most items that are explained at once.
    public static let limit = 100

    private let manifest: Manifest
    private let state: JobState
    private let cache: DataCache?
    private let commands: NextCommands
    private let links: ObjectLinks?

    /// Opens the state of `manifest`, and its cache if it exists; `presigns` adds links to what is in buckets.
    /// - Throws: `RunError`.
    public init(
        _ manifest: Manifest,
        options: RunOptions = RunOptions(),
        presigns: Bool = false
    ) throws(RunError) {
        self.manifest = try options.applied(to: manifest)
        links = presigns ? try ObjectLinks(self.manifest) : nil
        state = try JobState(manifest, options: options)
        commands = NextCommands(manifestPath: manifest.path, options: options)
        cache = try DataCache.existing(in: manifest.cache.directory)
    }

    /// Closes the cache.
    public func close() {
        cache?.close()
    }

    /// Returns the items, at most `limit`, whose URL or id is `text`, or whose output has that path.
    ///
    /// If there are none, returns those whose URL contains `text`, with `*` for any text. A path is absolute, the URL of an
    /// object, or relative to the destination or the working directory.
    /// - Throws: `RunError.machine`.
    public func items(_ text: String) async throws(RunError) -> [ItemExplanation] {
        try await RunError.wrapping {
            guard let reader = state.reader else { return [] }
            var lives = try reader.lives(of: text, path: text, limit: Self.limit)
            if lives.isEmpty, let path = manifest.destination.path(below: text) {
                lives = try reader.lives(of: text, path: path, limit: Self.limit)
            }
            if lives.isEmpty, !text.isEmpty {
                lives = try reader.lives(ItemFilter(url: text), limit: Self.limit)
            }
            let outputs = try StoredOutputs(manifest, reader)
            var items: [ItemExplanation] = []
            var failure: StoreError?
            for life in lives { items.append(try await explain(life, reader, in: outputs, after: &failure)) }
            return items
        }
    }

    /// Explains an item; `failure` is that of the destination, which is not asked again.
    private func explain(
        _ life: ItemLife,
        _ reader: JobReader,
        in outputs: StoredOutputs,
        after failure: inout StoreError?
    ) async throws -> ItemExplanation {
        let item = life.item
        var missing: Set<String> = []
        if failure == nil {
            do { missing = try await self.missing(life, in: outputs) } catch let error as StoreError {
                failure = error
            }
        }
        let advice = ItemAdvice(manifest: manifest, life: life, commands: commands, missing: missing)
        let requests = try requests(life, reader)
        var explanation = ItemExplanation(
            item: ItemListing(item),
            location: item.location,
            isListed: life.isListed,
            updated: Timestamp.text(item.updated),
            due: item.notBefore > 0 ? Timestamp.text(item.notBefore) : nil,
            why: advice.why,
            original: manifest.asksEdge(item: item.url) ? edge(requests) : original(life),
            attempts: life.attempts.map(ItemExplanation.Attempt.init),
            requests: requests,
            outputs: advice.outputs,
            leftovers: life.leftovers,
            next: advice.next,
            note: failure.map { "the outputs were not looked at: \($0)" }
        )
        try await links?.add(to: &explanation, life, missing: missing)
        return explanation
    }

    /// Returns the paths of finished outputs whose files or objects are missing.
    /// - Throws: `StoreError` if the store cannot tell.
    private func missing(_ life: ItemLife, in outputs: StoredOutputs) async throws -> Set<String> {
        var missing: Set<String> = []
        for output in life.outputs where output.result.state == .done {
            guard let path = output.result.path, try await !isThere(output.result, path, in: outputs) else {
                continue
            }
            missing.insert(path)
        }
        return missing
    }

    /// Returns true if the file or object of an output exists, or its shard.
    private func isThere(_ output: OutputRecord, _ path: String, in outputs: StoredOutputs) async throws
        -> Bool
    {
        guard output.shardOffset != nil else { return try await outputs.exists(path) }
        let shard = Shard.file(ofMember: path)
        if try await outputs.exists(shard) { return true }
        return try await outputs.exists(shard + ".part")
    }

    /// Returns the requests for the item's URL.
    ///
    /// If several URLs differ only in values that the log hides, returns the requests sent during the item's attempts.
    private func requests(_ life: ItemLife, _ reader: JobReader) throws -> [ItemExplanation.Request] {
        let target = manifest.target(of: life.item.url)
        let shown = manifest.redaction.redacted(url: target)
        let records = try reader.requests(for: shown)
        let isAmbiguous = shown != target
        let fitting = Set(
            records.filter { record in
                !isAmbiguous || life.attempts.contains { $0.covers(record) }
            }.map { [$0.runID, $0.load] }
        )
        return records.filter { fitting.contains([$0.runID, $0.load]) }.map { record in
            ItemExplanation.Request(
                request: RequestListing(record),
                requestHeaders: record.requestHeaders.split(separator: "\n").map(String.init),
                responseHeaders: record.responseHeaders.split(separator: "\n").map(String.init)
            )
        }
    }

    /// Describes the original of an item that is asked for by HEAD, by the last successful one of its requests.
    private func edge(_ requests: [ItemExplanation.Request]) -> ItemExplanation.Original {
        let last = requests.last { (200..<300).contains($0.request.status ?? 0) }
        let answer = EdgeAnswer((last?.responseHeaders ?? []).map(TransferRequest.Header.init(line:)))
        let sentence =
            switch (answer, last?.request.started) {
            case (.hit, let time?): "at \(time), the edge had it in its cache"
            case (.miss, let time?): "at \(time), the edge fetched it from its origin"
            case (_, let time?): "the response of \(time) does not say whether the edge had it in its cache"
            case (_, nil): "the network log has no response for it"
            }
        return ItemExplanation.Original(
            source: last == nil ? nil : "edge",
            decision:
                "loading.method is HEAD: an edge loads the original, and nothing is kept here; \(sentence)",
            edge: answer?.rawValue ?? "unknown"
        )
    }

    private func original(_ life: ItemLife) -> ItemExplanation.Original {
        let (item, last) = (life.item, life.attempts.last { $0.result.bytes != nil }?.result)
        let isFile = manifest.target(of: item.url).lowercased().hasPrefix("file:")
        let key = item.cacheKey
        let entry = key.flatMap { cache?.metadata(for: $0) }
        let decision =
            if isFile {
                "local files are read directly and not cached"
            } else if manifest.cache.policy != .storeOriginalData {
                "cache.policy is none: originals are not cached"
            } else if entry != nil {
                "the original is cached; it is loaded again only if its origin reports a change"
            } else if key != nil {
                "the original is no longer cached; the next run that needs it loads it again"
            } else {
                "the original has not been loaded yet"
            }
        return ItemExplanation.Original(
            source: last.map { $0.http == nil ? (isFile ? "file" : "cache") : "network" },
            sha256: item.knownOriginalSHA256,
            cacheKey: key.map(ItemListing.withoutUser),
            isCached: cache == nil || isFile ? nil : entry != nil,
            bytes: entry?.size ?? last?.bytes,
            stored: entry?.created.map(Timestamp.text),
            contentType: entry?.contentType,
            etag: entry?.etag,
            lastModified: entry?.lastModified,
            decision: decision
        )
    }
}

extension AttemptRecord {
    /// Returns true if the request began during this attempt.
    fileprivate func covers(_ request: RequestRecord) -> Bool {
        // Stored times are truncated to milliseconds.
        let times = result.started - 1...result.started + Int64(max(0, result.milliseconds)) + 1
        return request.runID == runID && times.contains(request.started)
    }
}

extension ItemExplanation.Attempt {
    fileprivate init(_ attempt: AttemptRecord) {
        let result = attempt.result
        self.init(
            number: attempt.number,
            generation: attempt.generation,
            run: Int(attempt.runID),
            started: Timestamp.text(result.started),
            milliseconds: result.milliseconds,
            outcome: result.outcome,
            error: result.error,
            status: result.http,
            bytes: result.bytes,
            detail: result.detail
        )
    }
}

extension Destination {
    /// Returns the path of an output relative to the destination, from its path or URL as a person writes it; nil if it is not
    /// below it.
    fileprivate func path(below text: String) -> String? {
        let whole =
            folder == nil ? text : FilePath.absolute(text, in: FileManager.default.currentDirectoryPath)
        let beginning = appending("")
        return whole.hasPrefix(beginning) ? String(whole.dropFirst(beginning.count)) : nil
    }
}
