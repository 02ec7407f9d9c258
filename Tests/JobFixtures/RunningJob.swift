package import JobManifest
package import JobStorage
import TestSupport

/// A job in a folder of its own, with a state and a run that has begun.
package struct RunningJob {
    /// The manifest of a job for which its contents do not matter.
    package static let text = #"{"sources": [{"urls": ["https://a.example/1.jpg"]}]}"#

    package let files: ManifestFolder
    package let manifest: Manifest
    package let path: String
    package let store: JobStore

    package var reader: JobReader { store.reader }

    /// Reads `text` as the manifest, and begins a run.
    package init(_ text: String = Self.text) throws {
        files = try ManifestFolder()
        manifest = try files.read(text)
        path = files.folder.path("state/job.sqlite")
        store = try JobStore(path: path)
        _ = try store.beginRun(version: "1")
    }

    /// Adds one item to the state for each of `hosts`, in this order.
    package func plan(hosts: [String]) throws {
        try plan(
            hosts.enumerated().map { index, host in
                NewItem(
                    ordinal: index + 1,
                    url: "https://\(host)/\(index + 1).jpg",
                    id: "id-\(index + 1)",
                    host: host
                ) { $0.location = "urls.txt:\(index + 1)" }
            }
        )
    }

    /// Adds `items` to the state.
    package func plan(_ items: [NewItem]) throws {
        let planning = try store.beginPlanning(manifestSHA256: "m")
        try planning.add(items)
        _ = try planning.finish(
            lists: "l",
            recipes: [OutputRecipe(source: 0, output: "small", recipe: "r-small")]
        )
    }

    /// Plans one item for each of `urls` and claims all of them, in this order.
    package func claim(urls: [String]) async throws -> [ClaimedItem] {
        try plan(urls.enumerated().map { NewItem(ordinal: $0 + 1, url: $1, host: "a.example") })
        return try await store.claim(limit: urls.count).sorted { $0.ordinal < $1.ordinal }
    }

    /// Plans one item for each of `hosts` and claims all of them, in this order.
    package func claim(hosts: [String]) async throws -> [ClaimedItem] {
        try plan(hosts: hosts)
        return try await store.claim(limit: hosts.count).sorted { $0.ordinal < $1.ordinal }
    }
}
