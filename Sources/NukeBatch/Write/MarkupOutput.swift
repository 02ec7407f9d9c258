import Files
import JobManifest
import JobPlanning
import JobStorage

/// The markup of a run: after the last item, a pass over all items writes the files that differ from what they should be.
///
/// A run that ends early writes the markup of what is done so far.
struct MarkupOutput: Sendable {
    private let manifest: Manifest
    private let store: JobStore
    private let statistics: RunStatistics
    private let control: RunControl

    /// Prepares the markup of a run; nil for a manifest without markup, unless an earlier one had any.
    /// - Throws: `JobStoreError`.
    init?(_ context: RunContext) throws(JobStoreError) {
        (manifest, store) = (context.manifest, context.store)
        (statistics, control) = (context.statistics, context.control)
        // These runs have only some of the images.
        guard !context.options.isWarming, context.options.onlyOutput == nil else { return nil }
        guard manifest.markups.isEmpty else { return }
        guard try store.reader.hasMarkup() else { return nil }
    }

    /// Marks the markup as outdated; call it before work that changes outputs.
    /// - Throws: `JobStoreError`.
    func begin() throws(JobStoreError) {
        try store.forgetIndexes()
    }

    /// Writes the markup, unless it is that of the state.
    func finish() async {
        guard control.exit != .machine else { return }
        do {
            if try isCurrent { return }
            try await write()
            // The destination stands for all markup below it.
            try store.recordIndex(manifest.destinationPath)
        } catch {
            control.stop(.machine, trouble: "\(error)")
        }
    }

    /// True if no output has changed since the last pass, and every index is there.
    private var isCurrent: Bool {
        get throws(JobStoreError) {
            guard try store.reader.isIndexCurrent(manifest.destinationPath) else { return false }
            let destination = try? Folder(path: manifest.destinationPath)
            return manifest.markups.allSatisfy { markup in
                guard case .index(let path) = markup.file else { return true }
                return destination?.status(of: path) != nil
            }
        }
    }

    /// Reads all items, and writes their markup.
    private func write() async throws {
        let destination = try Folder(path: manifest.destinationPath, create: true)
        var pass = try MarkupPass(manifest, store, destination: destination)
        defer { pass.close() }
        var page = try store.reader.items()
        while let last = page.last {
            for item in page { try pass.add(item) }
            try await pass.flush()
            page = try store.reader.items(after: last)
        }
        try pass.end()
        pass.warnings.forEach(statistics.warn)
    }
}
