import JobFixtures
import JobStorage
import Testing

@testable import NukeBatch

@Suite struct OutputPathClaimsTests {
    private let job: RunningJob
    private let claims: OutputPathClaims

    init() throws {
        job = try RunningJob()
        claims = OutputPathClaims(job.store, knowsPaths: false)
    }

    private func take(
        _ path: String,
        _ sha256: String,
        item: Int64,
        output: String = "small",
        isTaken: Bool = false
    ) async -> String? {
        let claimant = OutputPathClaims.Claimant(item: item, outputs: [output])
        return await message {
            try await claims.take(path, sha256: sha256, for: claimant, distinction: "{index}") { isTaken }
        }
    }

    /// The message of the error that `work` throws; nil if there is none.
    private func message(_ work: () async throws -> Void) async -> String? {
        do {
            try await work()
            return nil
        } catch {
            return ItemError(error).message
        }
    }

    @Test("equal bytes share a path, others collide")
    func collision() async throws {
        #expect(await take("a.jpg", "1", item: 1) == nil)
        #expect(await take("a.jpg", "1", item: 2) == nil)
        let message = await take("a.jpg", "2", item: 3)
        #expect(message?.contains("a.jpg") == true)
        #expect(await take("b.jpg", "2", item: 3) == nil)
    }

    @Test("paths that planning has compared are not compared again")
    func known() async throws {
        let claims = OutputPathClaims(job.store, knowsPaths: true)
        for (item, sha256) in [(1, "1"), (2, "2")] as [(Int64, String)] {
            let claimant = OutputPathClaims.Claimant(item: item, outputs: ["small"])
            try await claims.take("a.jpg", sha256: sha256, for: claimant, distinction: "{index}") { true }
        }
    }

    @Test("a path is free when the last item that claimed it is released")
    func release() async throws {
        for item in [1, 2] as [Int64] {
            #expect(await take("a.jpg", "1", item: item) == nil)
            #expect(await take("b\(item).jpg", "1", item: item) == nil)
        }
        claims.release(1)
        #expect(await take("b1.jpg", "2", item: 3) == nil)
        #expect(await take("a.jpg", "2", item: 3) != nil)
        #expect(await take("b2.jpg", "2", item: 3) != nil)
        claims.release(9)
        claims.release(2)
        #expect(await take("a.jpg", "2", item: 3) == nil)
        #expect(await take("b2.jpg", "2", item: 3) == nil)
    }

    @Test("a file that another item has written collides if its bytes differ")
    func recorded() async throws {
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        let written = output("small", path: "a.jpg", sha256: "11")
        try await job.store.record(outcome(item, [written]).result(attempt: nil), of: item)
        let other = item.itemID + 1
        // Nothing is looked up where there is no file.
        #expect(await take("a.jpg", "22", item: other, isTaken: false) == nil)
        claims.release(other)
        #expect(await take("a.jpg", "22", item: other, isTaken: true) != nil)
        claims.release(other)
        #expect(await take("a.jpg", "11", item: other, isTaken: true) == nil)
        claims.release(other)
        #expect(await take("a.jpg", "22", item: item.itemID, isTaken: true) == nil)
        claims.release(item.itemID)
        let own = await take("a.jpg", "22", item: item.itemID, output: "large", isTaken: true)
        #expect(own != nil, "another output of the item has the file")
        #expect(await take("b.jpg", "22", item: item.itemID, isTaken: true) == nil)
    }
}
