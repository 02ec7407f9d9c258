import JobManifest

/// Finds outputs that would write to the same path, before anything is loaded.
struct CollisionSearch {
    private let manifest: Manifest
    private let sitemaps: LoadedSitemaps
    /// The outputs whose paths are known before anything is loaded.
    private let known: [Int]
    private var collisions = PathCollisions()

    init(_ manifest: Manifest, sitemaps: LoadedSitemaps) {
        self.manifest = manifest
        self.sitemaps = sitemaps
        let isPacked = manifest.dataset?.pack != nil
        known = manifest.outputs.indices.filter { !isPacked && manifest.outputs[$0].path.isKnownInPlanning }
    }

    /// Adds an item and the paths of all its outputs; equal rows are one item.
    /// - Throws: `RunError.machine` if the temporary folder is not writable.
    mutating func add(_ item: PlannedItem, paths: [String]) throws(RunError) {
        guard !known.isEmpty, item.problem == nil else { return }
        let number = item.identityHash
        for output in known { try collisions.add(paths[output], output: output, of: number) }
    }

    /// Ends the search and returns the warnings.
    /// - Throws: `RunError.wrongInput` for collisions; it names the rows, which a second pass over the lists finds.
    mutating func finish() throws -> [String] {
        try collisions.endFirstPass()
        guard collisions.needsSecondPass else { return [] }
        guard !manifest.readsStandardInput else {
            throw RunError.wrongInput(
                "two rows of standard input would write the same path: add {index} to the output's path"
            )
        }
        let templates = manifest.outputs.map(\.path)
        try ItemReader(manifest, sitemaps: sitemaps).forEach { item in
            guard item.problem == nil else { return }
            let (paths, number) = (OutputPath.planned(templates, for: item), item.identityHash)
            for output in known {
                collisions.compare(paths[output], output: output, of: number, location: item.location)
            }
        }
        let exact = collisions.found.filter(\.isExact).map(\.description)
        guard exact.isEmpty else { throw RunError.wrongInput(exact.prefix(20).joined(separator: "\n")) }
        return collisions.found.map(\.description)
    }
}

extension Manifest {
    /// True if a list comes from standard input, which can be read only once.
    fileprivate var readsStandardInput: Bool {
        sources.contains { source in
            if case .list(let list) = source.kind { list.path == nil } else { false }
        }
    }
}
