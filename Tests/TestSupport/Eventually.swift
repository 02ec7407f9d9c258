/// Lets other tasks go on until something has happened that nothing tells of.
/// - Throws: `CancellationError` when the test's time is up, what `condition` throws.
public func eventually(_ condition: () throws -> Bool) async throws {
    while try !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
