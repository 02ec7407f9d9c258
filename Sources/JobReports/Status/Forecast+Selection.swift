public import JobManifest
public import JobPlanning

extension Forecast {
    /// Plans `manifest` with `options`, as if the selected failed and quarantined items had been requeued; nil requeues none.
    ///
    /// See `init(manifest:options:forEachItem:)`.
    /// - Throws: `RunError`.
    public init(
        manifest: Manifest,
        options: RunOptions,
        requeuing selection: ItemSelection?,
        forEachItem body: ((Item) -> Void)? = nil
    ) async throws(RunError) {
        try await self.init(
            manifest: manifest,
            options: options,
            retrying: selection?.filter,
            forEachItem: body
        )
    }
}
