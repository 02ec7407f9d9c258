import ObjectStorage

extension RunControl {
    /// Does the work at the end of a run, which a stop ends soon where it waits for a store: the next run does it again.
    /// - Throws: The errors of `body`, but none of a request that the stop has ended.
    package func finishing(isInBucket: Bool, _ body: @escaping @Sendable () async throws -> Void) async throws
    {
        guard isInBucket else { return try await body() }
        let requests = StoppableRequests()
        onStop { requests.stop() }
        do {
            try await requests.perform(body)
        } catch let error as StoreError where error.reason == .cancelled {
            return
        }
    }
}
