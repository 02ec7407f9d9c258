import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A job of the objects of a bucket on loopback, and the program run with the bucket's keys.
final class ObjectStoreJob: Sendable {
    static let bucket = "shop"

    let store: LoopbackObjectStore
    let job: JobFolder
    let environment: [String: String]

    /// Starts an empty bucket, with a job whose source is `source` and whose outputs are small images.
    init(_ source: String = #"{"objects": "s3://shop/photos/"}"#, _ more: String = "") throws {
        let credential = AccessKey(accessKeyID: "AKIDTEST", secretAccessKey: "se/cr+et")
        store = try LoopbackObjectStore(
            buckets: [LoopbackObjectStore.Bucket(Self.bucket), LoopbackObjectStore.Bucket("private")],
            credentials: [credential]
        )
        job = try JobFolder()
        environment = [
            "AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": "se/cr+et", "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": store.endpoint,
        ]
        try write(source, more)
    }

    deinit {
        store.stop()
    }

    func write(_ source: String, _ more: String = "") throws {
        try job.write(
            """
            "sources": [\(source)],
            "outputs": [{"processors": [{"resize": {"width": 8}}], "path": "{dir}/{stem}.{ext}"}]\(more)
            """
        )
    }

    func put(_ key: String, photo: String = "rocket.jpg", headers: [String: String] = [:]) throws {
        store.put(try Repository.photo(photo), key: key, bucket: Self.bucket, headers: headers)
    }

    @discardableResult
    func run(_ words: String..., exit: Int32 = 0, at location: SourceLocation = #_sourceLocation) async throws
        -> Program.Outcome
    {
        let words = ["run", "job.json"] + words
        let outcome = try await Program.run(
            "nuke-batch",
            words,
            in: job.folder.path,
            environment: environment
        )
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.errors)", sourceLocation: location)
        return outcome
    }

    func nukeBatch(_ words: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", words, in: job.folder.path, environment: environment)
    }

    /// Stops a run with SIGTERM while the store holds the first operation that `isHeld` selects.
    func stop(
        environment: [String: String] = [:],
        _ isHeld: @escaping @Sendable (LoopbackObjectStore.Operation) -> Bool = { _ in true }
    ) async throws {
        let gate = Gate()
        let began = AsyncStream.makeStream(of: Void.self)
        store.fault = { operation in
            guard isHeld(operation) else { return nil }
            began.continuation.yield()
            return .held(gate)
        }
        let program = try Program(
            "nuke-batch",
            ["run", "job.json"],
            in: job.folder.path,
            environment: self.environment.merging(environment) { $1 }
        )
        for await _ in began.stream { break }
        program.signal(SIGTERM)
        let outcome = await program.wait()
        gate.open()
        #expect(outcome.exit == 143, "\(outcome.output)\(outcome.errors)")
        store.fault = { _ in nil }
    }

    /// The operations that `body` causes, in order.
    func operations(_ body: () async throws -> Void) async throws -> [String] {
        let before = store.operations.count
        try await body()
        return store.operations.dropFirst(before).map { operation in
            operation.key.isEmpty ? operation.kind.rawValue : "\(operation.kind.rawValue) \(operation.key)"
        }
    }
}
