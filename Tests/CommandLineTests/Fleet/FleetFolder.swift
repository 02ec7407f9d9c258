import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A job of tiny pictures, planned for many machines in a store that is a folder or a bucket.
struct FleetFolder {
    let job: JobFolder
    let origin: LoopbackServer
    let store: String
    var environment: [String: String] = [:]

    /// Makes a job of `count` pictures, in shards with a `dataset`; `rest` are more keys of its manifest.
    init(
        _ count: Int,
        origin: LoopbackServer? = nil,
        store: String = "store",
        dataset: String? = nil,
        concurrency: Int = 32,
        _ rest: String = ""
    ) throws {
        job = try JobFolder()
        let origin = try origin ?? .tinyPictures()
        self.origin = origin
        self.store = store
        let urls = (1...count).map { #""\#(origin.address)/\#($0).png""# }
        let path = dataset == nil ? #", "path": "{index}-{stem}.{ext}""# : ""
        try job.write(
            """
            "sources": [{"urls": [\(urls.joined(separator: ", "))]}],
            "outputs": [{"name": "small", "format": "png"\(path)}],
            "loading": {"concurrency": \(concurrency), "rate": "5000/s", "burst": 100}\(dataset.map { ", \"dataset\": \($0)" } ?? "")\(rest)
            """
        )
    }

    /// Runs an action of `fleet`.
    func fleet(_ words: String..., input: String? = nil, more: [String: String] = [:]) async throws
        -> Program.Outcome
    {
        try await Program.run(
            "nuke-batch",
            ["fleet"] + words + ["--store", store, "--scratch", job.folder.path("scratch")],
            in: job.folder.path,
            input: input,
            environment: environment.merging(more) { $1 }
        )
    }

    /// Plans with at most `items` to a partition, and returns the number of partitions.
    func plan(_ items: Int, _ words: String...) async throws -> Int {
        let outcome = try await Program.run(
            "nuke-batch",
            ["fleet", "plan", "job.json", "--store", store, "--partition-items", "\(items)", "--json"]
                + words,
            in: job.folder.path,
            environment: environment
        )
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return try #require(try ToldJob.objects(outcome).first?["partitions"] as? Int)
    }

    /// Does partitions over a pipe, and returns the answers.
    func work(_ partitions: some Sequence<Int>) async throws -> [[String: Any]] {
        let input = partitions.map { "\($0)\n" }.joined()
        let outcome = try await fleet("work", "-", input: input)
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return try ToldJob.objects(outcome)
    }

    /// The commit of a partition, in a store that is a folder.
    func commit(_ partition: Int) throws -> [String: Any] {
        let data = try job.data("store/commits/00000\(partition).json")
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    func write(_ commit: [String: Any], as partition: Int) throws {
        let data = try JSONSerialization.data(withJSONObject: commit)
        try job.folder.write(data, to: "store/commits/00000\(partition).json")
    }

    /// The names of a partition's attempts with this ending.
    func attempts(_ partition: Int, _ ending: String) -> [String] {
        job.files(in: "store/attempts/00000\(partition)").filter { $0.hasSuffix(ending) }
    }
}

extension LoopbackServer {
    /// Serves tiny pictures, and refuses the one at `path` each time.
    static func tinyPictures(refusing path: String, with status: Int) throws -> LoopbackServer {
        let pictures = try tinyPictures()
        return try LoopbackServer { request in
            request.path == path ? .status(status) : .redirect(to: "\(pictures.address)\(request.path)")
        }
    }
}
