/// Yields to other tasks until `condition` returns true, for conditions without a notification.
///
/// After a while it looks once a millisecond, so that a waiting test leaves the processor to those it waits for.
/// - Throws: `CancellationError` at the test's time limit, or the error of `condition`.
public func eventually(_ condition: () throws -> Bool) async throws {
    var looks = 0
    while try !condition() {
        try Task.checkCancellation()
        looks += 1
        if looks < 100 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
    }
}
