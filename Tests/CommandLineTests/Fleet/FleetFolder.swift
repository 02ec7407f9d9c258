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
            environment: environment.merging(told) { $1 }.merging(more) { $1 }
        )
    }

    /// The variables that tell workers the plan's hash, which a store that is a folder of this user does not need.
    private var told: [String: String] {
        guard store.hasPrefix("s3://"), let hash = try? hash else { return [:] }
        return ["NUKE_BATCH_PLAN": hash]
    }

    /// The hash of the last plan.
    var hash: String {
        get throws { String(decoding: try job.data("plan-hash"), as: UTF8.self) }
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
        let told = try #require(try ToldJob.objects(outcome).first)
        try job.folder.write(try #require(told["hash"] as? String), to: "plan-hash")
        return try #require(told["partitions"] as? Int)
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

    /// Writes what a worker writes when it begins, as attempt `number`.
    func begin(_ partition: Int, attempt number: Int = 1, on node: String = "n") throws {
        let id = "00000000-0000-4000-8000-00000000000\(number)"
        let record = #"{"attempt": "\#(id)", "node": "\#(node)", "started": "2026-01-02T03:04:05.678Z"}"#
        try job.folder.write(record, to: "store/attempts/00000\(partition)/\(id).started")
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
