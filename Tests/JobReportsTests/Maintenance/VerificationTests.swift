import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobReports
import JobStorage
import TestSupport
import Testing

@Suite struct VerificationTests {
    private func finished(_ count: Int) async throws -> PlannedJob {
        let job = try PlannedJob(items: count)
        try await job.run { store, item in try await job.finish(item, in: store) }
        return job
    }

    @Test("a job that was never run has nothing to check")
    func never() async throws {
        let manifest = try ManifestFolder().read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        let verification = try await Verification(manifest)
        #expect(verification.checked == 0 && verification.damaged.isEmpty)
    }

    @Test("missing, longer and other files are found; whole ones are not")
    func problems() async throws {
        let job = try await finished(4)
        #expect(try await Verification(job.manifest).damaged.isEmpty)
        let folder = job.folder.folder
        try FileManager.default.removeItem(atPath: folder.path("out/small/1.jpg"))
        try folder.write("output small of 22", to: "out/small/2.jpg")
        try folder.write("output small of X", to: "out/small/3.jpg")
        var told: [String] = []
        let verification = try await Verification(job.manifest) { told.append($0.path) }
        #expect(verification.checked == 4 && told == ["small/1.jpg", "small/2.jpg", "small/3.jpg"])
        #expect(verification.damaged.map(\.problem) == ["missing", "size", "content"])
        #expect(
            verification.damaged.map(\.message) == [
                "the file is missing", "the file has 18 bytes; 17 were written",
                "the file differs from what was written",
            ]
        )
        #expect(verification.damaged.map(\.name) == ["small", "small", "small"])
        #expect(verification.damaged.map(\.url) == (1...3).map { "https://a.example/\($0).jpg" })
    }

    @Test("a destination that is gone lacks every file, and is not made")
    func noDestination() async throws {
        let job = try await finished(2)
        try FileManager.default.removeItem(atPath: job.folder.folder.path("out"))
        #expect(try await Verification(job.manifest).damaged.map(\.problem) == ["missing", "missing"])
        #expect(!FileManager.default.fileExists(atPath: job.folder.folder.path("out")))
    }

    @Test("forgetting puts back the items of damaged outputs alone")
    func forget() async throws {
        let job = try await finished(3)
        try FileManager.default.removeItem(atPath: job.folder.folder.path("out/small/2.jpg"))
        try await Verification(job.manifest).forgetDamaged()
        let store = try job.open()
        var states: [ItemState] = []
        try store.reader.forEachItem { states.append($0.state) }
        store.close()
        #expect(states == [.done, .pending, .done])
        let again = try await Verification(job.manifest)
        #expect(again.checked == 2 && again.damaged.isEmpty)
        try again.forgetDamaged()
    }

    @Test("JSON has no row ids")
    func json() async throws {
        let job = try await finished(1)
        try FileManager.default.removeItem(atPath: job.folder.folder.path("out/small/1.jpg"))
        let damage = try #require(try await Verification(job.manifest).damaged.first)
        let object = try JSONSerialization.jsonObject(with: Data(JSONLine.text(damage).utf8))
        #expect((object as? [String: Any])?.keys.sorted() == ["message", "name", "path", "problem", "url"])
    }
}
