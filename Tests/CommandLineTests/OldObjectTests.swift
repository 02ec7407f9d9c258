import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Objects whose versions in the listing and in the answer differ: a cache in front of the store gives old ones, or somebody
/// replaces them meanwhile.
@Suite(.timeLimit(.minutes(10))) struct OldObjectTests {
    private static let key = "photos/a.jpg"

    /// Puts `photo` in the object's place whenever it is asked for, after it was listed.
    private func answer(_ job: ObjectStoreJob, with photo: String) throws {
        let data = try Repository.photo(photo)
        job.store.fault = { [store = job.store] operation in
            if operation.kind == .getObject {
                store.put(data, key: Self.key, bucket: ObjectStoreJob.bucket)
            }
            return nil
        }
    }

    @Test(
        "an old version is not taken for the listed one: the next run asks again, though the listing stays the same",
        arguments: ["", #", "cache": {"policy": "none"}"#]
    )
    func old(cache: String) async throws {
        let job = try ObjectStoreJob(#"{"objects": "s3://shop/photos/"}"#, cache)
        try job.put(Self.key)
        try await job.run()
        let before = try job.job.data("out/a.jpg")

        try job.put(Self.key, photo: "hubble_deep_field.jpg")
        try answer(job, with: "rocket.jpg")
        let told = try await job.run()
        let text = told.output + told.errors
        #expect(text.contains("1 original is of another version"), "\(text)")
        #expect(try job.job.data("out/a.jpg") == before)

        job.store.fault = { _ in nil }
        try job.put(Self.key, photo: "hubble_deep_field.jpg")
        let asked = try await job.operations { try await job.run() }
        #expect(asked == ["ListObjectsV2", "GetObject \(Self.key)"])
        #expect(try job.job.data("out/a.jpg") != before)
        #expect(try await job.operations { try await job.run() } == ["ListObjectsV2"])
    }

    @Test(
        "an object that is replaced after it was listed is loaded once, and the next run sees that it has it"
    )
    func replaced() async throws {
        let job = try ObjectStoreJob()
        try job.put(Self.key)
        try answer(job, with: "hubble_deep_field.jpg")
        try await job.run()
        job.store.fault = { _ in nil }
        let made = try job.job.data("out/a.jpg")
        for _ in 0..<2 { #expect(try await job.operations { try await job.run() } == ["ListObjectsV2"]) }
        #expect(try job.job.data("out/a.jpg") == made)
    }
}
