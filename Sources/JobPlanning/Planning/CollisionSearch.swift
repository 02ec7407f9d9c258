import Files
import JobManifest
import JobStorage

/// Finds outputs that would write to the same path, before anything is loaded.
struct CollisionSearch {
    /// The most collisions that a message names.
    private static let named = 20

    private let manifest: Manifest
    private let loaded: LoadedSources
    private let own: OwnFiles
    private let isStopped: @Sendable () -> Bool
    /// The paths that rows compete for.
    private let claimed: [ClaimedPath]
    /// The copy of standard input for the second pass; nil if that is not needed.
    private let copy: InputCopy?
    private var collisions = PathCollisions()
    /// The sentences about collisions for which the plan is refused.
    private var refused: [String] = []
    private var warnings: [String] = []
    /// The number of outputs that are not made, by policy, with a sentence about the first one.
    private var lost: [Output.CollisionPolicy: (count: Int, example: String)] = [:]

    /// Begins a search; `folder` is for a copy of standard input.
    /// - Throws: `FileError` if there can be no copy.
    init(
        _ manifest: Manifest,
        loaded: LoadedSources,
        own: OwnFiles,
        folder: String,
        isStopped: @escaping @Sendable () -> Bool
    ) throws(FileError) {
        self.manifest = manifest
        self.isStopped = isStopped
        self.loaded = loaded
        self.own = own
        claimed = manifest.claimedPaths
        copy = claimed.isEmpty || !manifest.readsStandardInput ? nil : try InputCopy(in: folder)
    }

    /// The reading of standard input in the first pass.
    var input: StandardInput { copy.map(StandardInput.copied) ?? .once }

    /// Adds the paths of items; equal rows are one item.
    /// - Throws: `RunError.machine` if the temporary folder is not writable.
    mutating func add(_ claims: [PathCollisions.Claim]) throws(RunError) {
        for claim in claims { try collisions.add(claim) }
    }

    /// Ends the search, calls `block` with the outputs that are not made, and returns the warnings.
    /// - Throws: `RunError.wrongInput` for collisions of an output whose policy is `error`; it names the rows, which a
    /// second pass over the lists finds; `Planner.Stopped`; `FileError` if standard input could not be copied.
    mutating func finish(_ block: (BlockedOutput) throws -> Void) throws -> [String] {
        try collisions.endFirstPass()
        guard collisions.needsSecondPass else { return [] }
        try copy?.check()
        let templates = manifest.outputs.map(\.path)
        let reader = ItemReader(
            manifest,
            loaded: loaded,
            own: own,
            input: copy.map(StandardInput.again) ?? .once,
            isStopped: isStopped
        )
        while let item = try reader.next() {
            if isStopped() { throw Planner.Stopped() }
            guard item.problem == nil else { continue }
            let (paths, number) = (OutputPath.planned(templates, for: item), item.identityHash)
            for path in claimed {
                let found = collisions.compare(
                    paths[path.output],
                    output: path.output,
                    of: number,
                    row: PathCollisions.Row(index: item.index, location: item.location)
                )
                if let found { try add(found, of: path).forEach(block) }
            }
        }
        guard refused.isEmpty else { throw RunError.wrongInput(refused.joined(separator: "\n")) }
        return warnings + [.fail, .first].compactMap(warning)
    }

    /// Notes a collision, and returns the outputs that are not made for it.
    private mutating func add(_ collision: PathCollisions.Collision, of path: ClaimedPath) -> [BlockedOutput]
    {
        let rows = "\(collision.first.location ?? "an earlier row") and \(collision.second.location ?? "")"
        guard collision.isExact else {
            if warnings.count < Self.named {
                warnings.append(
                    "\(rows) write paths that differ only in case or Unicode form: \(collision.path)"
                )
            }
            return []
        }
        let output = manifest.outputs[collision.output]
        let sentence = manifest.collision(
            of: collision.first.location,
            and: collision.second.location ?? "",
            writing: collision.path,
            output: output.name
        )
        guard output.onCollision != .error else {
            if refused.count < Self.named { refused.append(sentence) }
            return []
        }
        lost[output.onCollision, default: (0, sentence)].count += path.outputs.count
        return path.outputs.map { index in
            BlockedOutput(
                ordinal: collision.second.index,
                output: manifest.outputs[index].name,
                path: collision.path,
                owner: collision.first.index,
                isSkipped: output.onCollision == .first
            )
        }
    }

    private func warning(_ policy: Output.CollisionPolicy) -> String? {
        guard let (count, example) = lost[policy] else { return nil }
        let outputs = count == 1 ? "1 output" : "\(count) outputs"
        let end = policy == .first ? "skipped" : "failed as collision"
        return "\(outputs) \(end), since an earlier row has the same path: \(example)"
    }
}

extension Manifest {
    /// The sentence about two rows with one path; a missing `first` is not known.
    package func collision(of first: String?, and second: String, writing path: String, output name: String)
        -> String
    {
        let output = outputs.first { $0.name == name }
        let remedy =
            output.map { ": add \($0.path.missingDistinction) to outputs[\($0.entry)].path" } ?? ""
        let first = first ?? "an earlier row"
        return first.utf8.elementsEqual(second.utf8)
            ? "\(second) would write \(path) with two outputs: add {output} to their paths"
            : "\(first) and \(second) would both write \(path)\(remedy)"
    }

    /// True if a list comes from standard input, which can be read only once.
    package var readsStandardInput: Bool {
        sources.contains { source in
            if case .list(let list) = source.kind { list.isStandardInput } else { false }
        }
    }
}
