package import JobManifest
package import JobPlanning
package import JobStorage

/// The markup of a run: after the last item, a pass over all items writes the files that differ from what they should be.
///
/// A run that ends early writes the markup of what is done so far.
package struct MarkupOutput: Sendable {
    private let manifest: Manifest
    private let store: JobStore
    private let control: RunControl
    private let warn: @Sendable (String) -> Void

    /// Prepares the markup of a run; nil for a manifest without markup, unless an earlier one had any.
    ///
    /// `warn` is called with sentences for the user.
    /// - Throws: `JobStoreError`.
    package init?(
        _ manifest: Manifest,
        options: RunOptions,
        in store: JobStore,
        control: RunControl,
        warn: @escaping @Sendable (String) -> Void
    ) throws(JobStoreError) {
        (self.manifest, self.store, self.control, self.warn) = (manifest, store, control, warn)
        // These runs have only some of the images.
        guard !options.isWarming, options.onlyOutput == nil else { return nil }
        guard manifest.markups.isEmpty else { return }
        guard try store.reader.hasMarkup() else { return nil }
    }

    /// Marks the markup as outdated; call it before work that changes outputs.
    /// - Throws: `JobStoreError`.
    package func begin() throws(JobStoreError) {
        try store.forgetIndexes()
    }

    /// Writes the markup, unless it is that of the state.
    package func finish() async {
        guard control.exit != .machine else { return }
        // Requests would take longer than a stopped run has; the next run writes it.
        if manifest.destination.bucket != nil, let exit = control.exit, exit != .workLeft { return }
        await control.finishing(isInBucket: manifest.destination.bucket != nil) { try await update() }
    }

    private func update() async throws {
        if try await isCurrent { return }
        try await write()
        // The destination stands for all markup below it.
        try store.recordIndex(manifest.destination.description)
    }

    /// True if no output has changed since the last pass, and every index is there.
    private var isCurrent: Bool {
        get async throws {
            guard try store.reader.isIndexCurrent(manifest.destination.description) else { return false }
            let files = try DestinationFiles(manifest, state: store.path)
            defer { files.close() }
            for case .index(let path) in manifest.markups.map(\.file)
            where try await !files.exists(path) {
                return false
            }
            return true
        }
    }

    /// Reads all items, and writes their markup.
    private func write() async throws {
        let files = try DestinationFiles(manifest, state: store.path)
        defer { files.close() }
        var pass = try await MarkupPass(manifest, store, files: files)
        var page = try store.reader.items()
        while let last = page.last {
            for item in page { try await pass.add(item) }
            try await pass.flush()
            page = try store.reader.items(after: last)
        }
        try await pass.end()
        pass.warnings.forEach(warn)
    }
}
