import ObjectStorage

extension RunControl {
    /// Does the work at the end of a run, which a stop ends soon where it waits for a store: the next run does it again.
    ///
    /// An error of `body` stops the run, but none of a request that the stop has ended.
    package func finishing(isInBucket: Bool, _ body: @escaping @Sendable () async throws -> Void) async {
        do {
            guard isInBucket else { return try await body() }
            let requests = StoppableRequests()
            onStop { requests.stop() }
            try await requests.perform(body)
        } catch let error as StoreError where isInBucket && error.reason == .cancelled {
            return
        } catch {
            stop(.machine, trouble: "\(error)")
        }
    }
}
