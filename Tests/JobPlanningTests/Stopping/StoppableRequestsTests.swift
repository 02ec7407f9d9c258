import JobPlanning
import ObjectStorage
import Testing

@Suite(.timeLimit(.minutes(10))) struct StoppableRequestsTests {
    @Test("results and errors pass through")
    func through() async throws {
        let requests = StoppableRequests()
        let result = try await requests.perform { () throws(StoreError) in 7 }
        #expect(result == 7)
    }

    @Test("a stop cancels what does not end, and what comes later")
    func stop() async throws {
        let requests = StoppableRequests()
        let begun = AsyncStream<Void>.makeStream()
        let task = Task {
            try await requests.perform { () throws(StoreError) in
                begun.continuation.yield()
                do { try await Task.sleep(for: .seconds(600)) } catch { return true }
                return false
            }
        }
        for await _ in begun.stream { break }
        requests.stop()
        #expect(try await task.value)
        let isCancelled = try await requests.perform { () throws(StoreError) in Task.isCancelled }
        #expect(isCancelled)
    }
}
