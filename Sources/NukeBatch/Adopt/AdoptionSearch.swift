import Files
import Imaging
import JobManifest
import JobPlanning
import JobStorage

/// Looks in the destination for the outputs of unfinished items, on several threads.
struct AdoptionSearch: Sendable {
    /// The result of the look for one output of an item.
    enum Look: Sendable {
        /// It is on record.
        case known
        case missing(path: String?)
        case refused(path: String?, RefusedFile)
        case found(OutputRecord)
    }

    /// An item with the results for its outputs, in the manifest's order.
    struct Result: Sendable {
        let item: ClaimedItem
        var looks: [(output: AdoptableOutput, look: Look)]
    }

    private let manifest: Manifest
    private let folder: Folder
    private let files: LocalFiles
    private let limits: ImageLimits
    private let queue: WorkQueue
    /// By source, in the manifest's order.
    private let outputs: [[AdoptableOutput]]

    /// Prepares the look for the outputs of `manifest` in `folder`.
    /// - Throws: `ImagingError` for a processor that cannot be.
    init(_ manifest: Manifest, in folder: Folder, acceptsSmaller: Bool) throws(ImagingError) {
        (self.manifest, self.folder) = (manifest, folder)
        files = LocalFiles(roots: manifest.network.fileRoots)
        let cores = manifest.limits.processing
        var limits = ImageLimits(manifest.limits)
        limits.maxMemory = max(1, manifest.limits.memory / cores)
        self.limits = limits
        queue = WorkQueue(name: "adopt", width: cores)
        var outputs: [[AdoptableOutput]] = []
        for source in manifest.sources.indices {
            var ofSource: [AdoptableOutput] = []
            for output in manifest.outputs {
                ofSource.append(
                    try AdoptableOutput(output, source: source, of: manifest, acceptsSmaller: acceptsSmaller)
                )
            }
            outputs.append(ofSource)
        }
        self.outputs = outputs
    }

    /// The outputs of which no file is taken, each once, with the reason.
    var refused: [(name: String, refusal: RefusedFile)] {
        var names: Set<String> = []
        return outputs.joined().compactMap { output in
            guard let refusal = output.refusal, names.insert(output.output.name).inserted else { return nil }
            return (output.output.name, refusal)
        }
    }

    /// Returns the results for `items`, in their order.
    /// - Throws: `FileError` for trouble of this machine.
    func look(_ items: [ClaimedItem]) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            for (index, item) in items.enumerated() {
                group.addTask { (index, try await queue.run { try look(item) }) }
            }
            var results = [Result?](repeating: nil, count: items.count)
            for try await (index, result) in group { results[index] = result }
            return results.compactMap(\.self)
        }
    }

    private func look(_ item: ClaimedItem) throws -> Result {
        let planned = PlannedItem(item, of: manifest)
        // The original has changed since its outputs were recorded.
        let isChanged = item.originalSHA256 == nil && item.outputs.contains { $0.state == .done }
        return Result(
            item: item,
            looks: try outputs[item.source].map { output in
                (output: output, look: try look(output, of: item, planned, isChanged: isChanged))
            }
        )
    }

    private func look(
        _ output: AdoptableOutput,
        of item: ClaimedItem,
        _ planned: PlannedItem,
        isChanged: Bool
    ) throws -> Look {
        let recorded = item.outputs.first { $0.name == output.output.name && $0.state != .failed }
        if !isChanged, recorded?.recipe == output.recipe { return .known }
        if let refusal = output.refusal { return .refused(path: nil, refusal) }
        let places = output.places(of: planned)
        let path = places.count == 1 ? places[0].path : nil
        if let collision = item.collisions.first(where: { $0.output == output.output.name }) {
            let message = "the path belongs to \(collision.owner)"
            return .refused(path: path, RefusedFile(.collision, message))
        }
        guard !isChanged, recorded?.state != .done else {
            let message =
                "the state has the output with other settings or of another original: run makes it again"
            return .refused(path: path, RefusedFile(.recorded, message))
        }
        do {
            guard let file = try find(places, output) else { return .missing(path: path) }
            try checkAge(of: file, item)
            return .found(output.record(file, of: item))
        } catch let refusal as PlacedRefusal {
            return .refused(path: refusal.path, refusal.refusal)
        }
    }

    /// Returns the file at one of `places`; nil if none is there.
    /// - Throws: `PlacedRefusal`, `FileError`.
    private func find(
        _ places: [(path: String, formats: [ImageFormat])],
        _ output: AdoptableOutput
    ) throws -> AdoptableFile? {
        var found: AdoptableFile?
        for place in places {
            do {
                let file = try AdoptableFile(
                    place.path,
                    in: folder,
                    formats: place.formats,
                    limits: limits,
                    check: output.check
                )
                guard let file else { continue }
                if let other = found?.path {
                    throw RefusedFile(.ambiguous, "\(other) is there as well: remove one of them")
                }
                found = file
            } catch let refusal as RefusedFile {
                throw PlacedRefusal(path: place.path, refusal: refusal)
            }
        }
        return found
    }

    /// Compares the file with an original that is a file, too.
    private func checkAge(of file: AdoptableFile, _ item: ClaimedItem) throws(PlacedRefusal) {
        let target = manifest.target(of: item.url)
        guard target.lowercased().hasPrefix("file:"),
            let modified = try? files.modified(target), file.modified < modified
        else { return }
        let message = "it is older than its original: if it is right all the same, touch it"
        throw PlacedRefusal(path: file.path, refusal: RefusedFile(.older, message))
    }
}

/// A refusal with the path that it is about.
private struct PlacedRefusal: Error {
    let path: String
    let refusal: RefusedFile
}
