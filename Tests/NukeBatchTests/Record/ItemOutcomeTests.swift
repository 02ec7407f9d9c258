import JobFixtures
import JobStorage
import Testing

@testable import NukeBatch

@Suite struct ItemOutcomeTests {
    private let job: RunningJob

    init() throws {
        job = try RunningJob()
    }

    private func end(_ outputs: [OutputResult], reused: [OutputResult] = []) async throws
        -> ItemResult.Outcome
    {
        let item = try #require(try await RunningJob().claim(hosts: ["a.example"]).first)
        let outcome = outcome(item, outputs, reused: reused)
        #expect(outcome.isDone == !outputs.contains { $0.state == .failed })
        return outcome.result(attempt: nil).outcome
    }

    @Test("one failed output fails the item, with the first one's error")
    func failed() async throws {
        let outputs = [
            output("a"), output("b", .failed, failure: ("limits", "too large: by 3")),
            output("c", .failed, failure: ("corrupt", "cut")),
        ]
        #expect(try await end(outputs) == .failed(error: "limits", message: "output b: too large: by 3"))
        let none = [output("b", .failed)]
        #expect(try await end(none) == .failed(error: "processing", message: "output b: "))
    }

    @Test("an item is skipped if all of its outputs are")
    func skipped() async throws {
        let (first, second) = (
            output("a", .skipped, reason: "exists"), output("b", .skipped, reason: "small")
        )
        #expect(try await end([first, second]) == .skipped(reason: "exists"))
        #expect(try await end([second], reused: [first]) == .skipped(reason: "small"))
        #expect(try await end([], reused: [first]) == .skipped(reason: "exists"))
        #expect(try await end([first, output("c")]) == .done)
        #expect(try await end([first], reused: [output("c")]) == .done)
    }

    @Test("an item without outputs is done")
    func none() async throws {
        #expect(try await end([]) == .done)
    }

    @Test("what was there under the same recipe is not recorded again")
    func reused() async throws {
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        let first = outcome(item, [output("a"), output("b")])
        try await job.store.record(first.result(attempt: nil), of: item)
        _ = try job.store.requeueFinished()
        let again = try #require(try await job.store.claim(limit: 1).first)
        try #require(again.outputs.count == 2)
        var changed = output("b")
        changed.recipe = "another"
        let result = outcome(again, [output("c")], reused: [output("a"), changed]).result(attempt: nil)
        #expect(result.outputs == [output("c"), changed])
        #expect(result.cacheKey == "key")
        #expect(result.originalSHA256 == original().sha256)
    }
}
