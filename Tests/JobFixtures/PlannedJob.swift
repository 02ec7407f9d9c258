import Files
import Foundation
package import JobManifest
package import JobPlanning
package import JobStorage
import TestSupport

/// A job that is planned into its state as a run does it, with results that a test records.
package struct PlannedJob {
    /// The SHA-256 that all originals have.
    package static let originalSHA256 = String(repeating: "0f", count: 32)

    package let folder: ManifestFolder
    package private(set) var manifest: Manifest
    package var options: RunOptions

    /// Reads `text` as the manifest and plans it.
    package init(_ text: String, options: RunOptions = RunOptions()) throws {
        folder = try ManifestFolder()
        self.options = options
        manifest = try folder.read(text)
        try plan()
    }

    /// A job of so many items of one host and an output `small` below `out`, with a cache of its own.
    package init(items: Int, more: String = "") throws {
        try self.init(Self.manifest((1...items).map { "https://a.example/\($0).jpg" }, more: more))
    }

    /// A manifest that lists `urls`; `more` are further keys, each behind a comma.
    package static func manifest(_ urls: [String], more: String = "") -> String {
        let list = urls.map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            {"sources": [{"urls": [\(list)]}], "destination": "out", "cache": {"directory": "cache"},
             "outputs": [{"name": "small", "format": "jpeg", "path": "small/{index}.{ext}"}]\(more)}
            """
    }

    /// Another manifest in the place of the present one; it is not planned yet.
    package mutating func write(_ text: String) throws {
        manifest = try folder.read(text)
    }

    package func open() throws -> JobStore {
        try JobStore(path: options.statePath(of: manifest))
    }

    /// Plans the manifest with its options.
    @discardableResult
    package func plan() throws -> Planner.Summary {
        let store = try open()
        defer { store.close() }
        let applied = try options.applied(to: manifest)
        return try Planner(applied, options, loaded: LoadedSources()).plan(into: store)
    }

    /// Plans each of so many partitions into its own state.
    package func partitions(_ count: Int) throws -> [PlannedJob] {
        try (1...count).map { number in
            var part = self
            part.options.shard = Partition("\(number)/\(count)")
            try part.plan()
            return part
        }
    }

    /// Claims all waiting items in a run of their own and calls `body` with each, in the manifest's order.
    package func run(
        exit: Int? = 0,
        counters: String? = nil,
        _ body: (JobStore, ClaimedItem) async throws -> Void
    ) async throws {
        let store = try open()
        defer { store.close() }
        _ = try store.beginRun(version: "1.0.0", countersJSON: counters)
        let items = try await store.claim(limit: 10_000).sorted { $0.ordinal < $1.ordinal }
        for item in items { try await body(store, item) }
        if let exit { try store.endRun(exit: exit, countersJSON: counters) }
    }

    /// Ends an item as done, with a file for each output.
    package func finish(_ item: ClaimedItem, in store: JobStore) async throws {
        try await store.record(try done(item), of: item)
    }

    /// Ends an item as failed.
    package func fail(
        _ item: ClaimedItem,
        in store: JobStore,
        as error: String = "http_404",
        message: String = "the server answered with status 404"
    ) async throws {
        let attempt = AttemptResult(started: 1_700_000_000_000, milliseconds: 12, outcome: "failed") {
            $0.error = error
            $0.http = 404
            $0.detail = message
        }
        let result = ItemResult(.failed(error: error, message: message), attempt: attempt)
        try await store.record(result, of: item)
    }

    /// The result of an item that is done, whose output files this writes.
    package func done(_ item: ClaimedItem, encoder: String = "libjpeg 9") throws -> ItemResult {
        let outputs = try manifest.outputs.map { output in
            let path = "\(output.name)/\(item.ordinal).jpg"
            let data = Data("output \(output.name) of \(item.ordinal)".utf8)
            try folder.folder.write(data, to: "out/\(path)")
            let recipe = manifest.digest(of: output, source: item.source)
            return OutputRecord(name: output.name, recipe: recipe, state: .done) {
                $0.path = path
                $0.spec = Digest.sha256.hex(of: Self.originalSHA256 + recipe)
                $0.bytes = data.count
                $0.sha256 = Digest.sha256.hex(of: data)
                $0.width = 320
                $0.height = 213
                $0.encoder = encoder
            }
        }
        return ItemResult(
            .done,
            cacheKey: item.url,
            originalSHA256: Self.originalSHA256,
            outputs: outputs,
            attempt: AttemptResult(started: 1_700_000_000_000, milliseconds: 25, outcome: "done") {
                $0.http = 200
                $0.bytes = 1000 * item.ordinal
            }
        )
    }
}
