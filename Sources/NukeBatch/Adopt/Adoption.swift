import Files
public import JobManifest
public import JobPlanning
import JobStorage

/// Outputs of a job that another tool has made, taken over so that no run makes them again.
///
/// A file counts as an output if it is a regular file at the output's path, is in its format, has a size in pixels that its
/// processors give, and can be decoded as a whole. Nothing is loaded but the lists, and nothing is written but the state.
///
/// An adopted output is current until its settings or its original change. No original is known at first: the next one that a
/// run loads counts as that of the output, unless it says that it was changed later than the file.
public struct Adoption: Sendable {
    /// The items whose outputs are looked for and recorded together.
    private static let page = 512

    /// The number of outputs that were taken over.
    public private(set) var adopted = 0
    /// The number of outputs without a file.
    public private(set) var missing = 0
    /// The number of outputs whose files were not taken, by reason.
    public private(set) var refused: [AdoptionRefusal: Int] = [:]
    /// The number of items that have nothing left to make.
    public private(set) var finished = 0
    /// Warnings of the planning, one sentence each.
    public let warnings: [String]

    /// Plans `manifest` and takes over its outputs; `body` is called with each result once it is recorded.
    ///
    /// With `isDryRun`, nothing is recorded. With `acceptsSmaller`, outputs may be smaller than asked, as are those of originals
    /// that are not enlarged. An interruption leaves what was recorded before; a second call goes on.
    /// - Throws: `RunError.held` during a run, `wrongInput` for a manifest whose outputs are no files of their own, `machine`.
    public init(
        _ manifest: Manifest,
        options: RunOptions = RunOptions(),
        isDryRun: Bool = false,
        acceptsSmaller: Bool = false,
        _ body: (AdoptionFinding) -> Void = { _ in }
    ) async throws(RunError) {
        do {
            let manifest = try options.applied(to: manifest)
            let folder = try Self.folder(of: manifest)
            let search = try AdoptionSearch(manifest, in: folder, acceptsSmaller: acceptsSmaller)
            let loaded = try await SourceLoader.sources(of: manifest, options)
            let scratch = isDryRun ? try ScratchFolder.forPlanning() : nil
            let path = options.statePath(of: manifest)
            let store = try JobStore(path: try scratch?.statePath(copying: path) ?? path)
            defer { withExtendedLifetime(scratch) { store.close() } }
            warnings = try await Planner(manifest, options, loaded: loaded).planOnThread(into: store).warnings
            for (name, refusal) in search.refused {
                body(AdoptionFinding(url: nil, name: name, path: nil, .refused, refusal))
            }
            var items = try store.reader.unfinishedItems(after: 0, limit: Self.page)
            while let last = items.last {
                let results = try await search.look(items)
                try record(results, in: store, finishing: Self.canFinish(manifest), body)
                items = try store.reader.unfinishedItems(after: last.itemID, limit: Self.page)
            }
        } catch {
            throw RunError(error)
        }
    }

    /// The number of outputs whose files were not taken.
    public var refusals: Int { refused.values.reduce(0, +) }

    private static func folder(of manifest: Manifest) throws -> Folder {
        let place = manifest.shownPath
        guard !manifest.outputs.isEmpty else {
            throw RunError.wrongInput("\(place): adopt takes over outputs, and the manifest has none")
        }
        guard manifest.dataset?.pack == nil else {
            throw RunError.wrongInput(
                "\(place): adopt takes over files of their own, and dataset.pack puts outputs into shards: leave it out"
            )
        }
        guard let path = manifest.destination.folder else {
            throw RunError.wrongInput(
                "\(place): adopt reads outputs in a folder, not in \(manifest.destination): run makes them again"
            )
        }
        guard let folder = try Presence.folder(path) else {
            throw RunError.wrongInput(
                "\(place): the destination \(path) does not exist: name the folder that has the outputs"
            )
        }
        return folder
    }

    /// True if an item with all its outputs needs nothing else from a run.
    private static func canFinish(_ manifest: Manifest) -> Bool {
        manifest.facts.isEmpty && !manifest.markups.contains(where: \.needsHash)
            && manifest.dataset?.honoursOptOut != true && manifest.dataset?.honoursRobots != true
    }

    /// Records the outputs that were found, then reports all results.
    private mutating func record(
        _ results: [AdoptionSearch.Result],
        in store: JobStore,
        finishing canFinish: Bool,
        _ body: (AdoptionFinding) -> Void
    ) throws {
        let items = results.map { AdoptedItem($0, canFinish: canFinish) }
        let refused = try store.adopt(items)
        for (index, result) in results.enumerated() {
            let names = refused[index] ?? []
            if items[index].isFinished, !items[index].outputs.isEmpty, names.isEmpty { finished += 1 }
            for (output, look) in result.looks {
                let name = output.output.name
                let found = names.contains(name) ? look.collided : look
                count(found)
                if let finding = AdoptionFinding(found, name: name, of: result.item) { body(finding) }
            }
        }
    }

    private mutating func count(_ look: AdoptionSearch.Look) {
        switch look {
        case .known: break
        case .found: adopted += 1
        case .missing: missing += 1
        case .refused(_, let refusal): refused[refusal.reason, default: 0] += 1
        }
    }
}

extension AdoptionSearch.Look {
    /// The refusal of a file whose path another output has.
    fileprivate var collided: Self {
        guard case .found(let record) = self else { return self }
        let message = "another output has the path: give each item a path of its own"
        return .refused(path: record.path, RefusedFile(.collision, message))
    }
}

extension AdoptedItem {
    /// The outputs of an item that were found.
    fileprivate init(_ result: AdoptionSearch.Result, canFinish: Bool) {
        var isWhole = canFinish
        var outputs: [Output] = []
        for (output, look) in result.looks {
            switch look {
            case .known: break
            case .found(let record):
                outputs.append(Output(record, isPathLate: !output.output.path.isKnownInPlanning))
            case .missing, .refused: isWhole = false
            }
        }
        self.init(result.item, outputs: outputs, isFinished: isWhole)
    }
}

extension AdoptionFinding {
    /// The result for an output of `item`; nil for one that is on record, and for one that is refused for all items.
    fileprivate init?(_ look: AdoptionSearch.Look, name: String, of item: ClaimedItem) {
        switch look {
        case .known: return nil
        case .found(let record): self.init(url: item.url, name: name, path: record.path, .adopted)
        case .missing(let path): self.init(url: item.url, name: name, path: path, .missing)
        case .refused(_, let refusal) where [.path, .copy].contains(refusal.reason): return nil
        case .refused(let path, let refusal):
            self.init(url: item.url, name: name, path: path, .refused, refusal)
        }
    }
}
