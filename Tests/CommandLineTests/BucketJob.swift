import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// A job whose destination is a bucket of a store on loopback.
struct BucketJob {
    static let bucket = "outputs"
    static let keys = AccessKey(
        accessKeyID: "AKIDEXAMPLE",
        secretAccessKey: "secret-of-the-test"
    )

    let job: JobFolder
    let store: LoopbackObjectStore
    let origin: LoopbackServer
    private let count: Int
    /// More variables.
    var more: [String: String] = [:]

    /// Makes `count` tiny pictures at an origin; `output` are more keys of the output, `rest` of the manifest.
    init(_ count: Int, output: String = "", rest: String = "") throws {
        job = try JobFolder()
        store = try LoopbackObjectStore(buckets: [.init(Self.bucket)], credentials: [Self.keys])
        origin = try .tinyPictures()
        self.count = count
        try write(output: output, rest: rest)
    }

    /// Writes the manifest again.
    func write(numbers: [Int]? = nil, output: String = "", rest: String = "") throws {
        let urls = (numbers ?? Array(1...count)).map { #""\#(origin.address)/\#($0).png""# }
        try job.write(
            """
            "sources": [{"urls": [\(urls.joined(separator: ", "))]}],
            "outputs": [{"name": "small", "format": "png", "path": "small/{stem}.{ext}"\(output)},
                        {"name": "copy", "format": "original", "path": "copy/{stem}.{ext}"}],
            "loading": {"rate": "5000/s", "burst": 100},
            "destination": "s3://\(Self.bucket)/made"\(rest)
            """
        )
    }

    /// The variables that lead to the store.
    var environment: [String: String] { Self.environment(store).merging(more) { $1 } }

    static func environment(_ store: LoopbackObjectStore) -> [String: String] {
        [
            "AWS_ENDPOINT_URL_S3": store.endpoint, "AWS_REGION": store.region,
            "AWS_ACCESS_KEY_ID": keys.accessKeyID, "AWS_SECRET_ACCESS_KEY": keys.secretAccessKey,
            "AWS_EC2_METADATA_DISABLED": "true",
        ]
    }

    /// Runs a command on the job, which is to end with this exit code.
    @discardableResult
    func nukeBatch(
        _ words: String...,
        exit: Int32 = 0,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Program.Outcome {
        let outcome = try await Program.run(
            "nuke-batch",
            words,
            in: job.folder.path,
            environment: environment
        )
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.errors)", sourceLocation: location)
        return outcome
    }

    /// Starts a command on the job.
    func start(
        _ words: String...,
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Program {
        try Program("nuke-batch", words, in: job.folder.path, environment: environment, onLine: onLine)
    }

    /// Runs the job until it is killed: at its next operation of `kind` with the number `moment`, or after `seconds`.
    ///
    /// With `takesEffect`, nobody hears of the operation, but it is done. Returns the exit code, 0 if the job ended before.
    func runKilled(
        at kind: LoopbackObjectStore.Operation.Kind,
        _ moment: Int,
        takesEffect: Bool,
        after seconds: TimeInterval
    ) async throws -> Int32 {
        let program = try start("run", "job.json")
        let first = store.count(of: kind)
        store.fault = { operation in
            guard operation.kind == kind, operation.number == first + moment else { return nil }
            program.signal(SIGKILL)
            return takesEffect ? nil : .resetBefore
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { program.signal(SIGKILL) }
        let outcome = await program.wait()
        #expect(outcome.exit == 128 + SIGKILL || outcome.exit == 0, "\(outcome.errors)")
        return outcome.exit
    }

    /// The keys below the prefix, in order.
    var keys: [String] {
        store.objects(in: Self.bucket).map { String($0.dropFirst("made/".count)) }
    }

    /// The keys that a finished job has.
    var allKeys: [String] {
        (1...count).flatMap { ["copy/\($0).png", "small/\($0).png"] }.sorted()
    }

    /// The files of the job in which the secret key is.
    func leaks() throws -> [String] {
        let secret = Data(Self.keys.secretAccessKey.utf8)
        return try job.files(in: ".").filter { try job.data($0).firstRange(of: secret) != nil }
    }

    func object(_ path: String) throws -> LoopbackObjectStore.Object {
        try #require(store.object("made/\(path)", in: Self.bucket), "\(path)")
    }

    /// Checks that every output is there, once and right, that nothing else is, and that no upload was left.
    func checkWhole(at location: SourceLocation = #_sourceLocation) async throws {
        #expect(keys == allKeys, sourceLocation: location)
        #expect(store.uploads.isEmpty, sourceLocation: location)
        for number in 1...count {
            let original = try TestImages.tiny(number)
            #expect(try object("copy/\(number).png").data == original, sourceLocation: location)
            let small = try ImageDecoder.decode(try object("small/\(number).png").data)
            #expect(small.size == (try ImageDecoder.decode(original)).size, sourceLocation: location)
        }
        for item in try await job.items() {
            #expect(item["state"] as? String == "done", "\(item)", sourceLocation: location)
        }
        let verified = try await nukeBatch("verify", "job.json", at: location)
        #expect(verified.output.contains("0 damaged"), "\(verified.output)", sourceLocation: location)
    }
}
