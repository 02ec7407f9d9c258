import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// One pass over all items of a job, in the manifest's order, that writes their markup.
///
/// The first item with a snippet's path or an index's key has it; later ones are counted and told.
struct MarkupPass {
    /// A snippet that is to be compared with its file.
    private struct Snippet {
        let record: MarkupRecord
        let data: Data

        init(_ text: String, at path: String, of item: ItemRecord, for markup: Markup) {
            data = Data(text.utf8)
            record = MarkupRecord(
                path: path,
                itemID: item.itemID,
                name: markup.name,
                bytes: data.count,
                sha256: Digest.sha256.hex(of: data)
            )
        }
    }

    /// Files or entries that were left out for one reason.
    private struct Omission {
        var count = 0
        /// The first of them.
        var example = ""

        mutating func add(_ example: @autoclosure () -> String) {
            if count == 0 { self.example = example() }
            count += 1
        }
    }

    private let manifest: Manifest
    private let store: JobStore
    private let files: DestinationFiles
    private let number: Int
    /// The open index of each markup; nil where it has snippets or is left out.
    private var indexes: [MarkupIndex?] = []
    private var snippets: [Snippet] = []
    private var claims = HashSet64()
    private var keysTaken = Omission()
    private var pathsTaken = Omission()
    private var kept = Omission()

    /// Begins a pass.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`.
    init(_ manifest: Manifest, _ store: JobStore, files: DestinationFiles) async throws {
        self.manifest = manifest
        self.store = store
        self.files = files
        number = try store.newMarkupPass()
        for markup in manifest.markups {
            guard case .index(let path) = markup.file, try await mayWrite(path, markup) else {
                indexes.append(nil)
                continue
            }
            indexes.append(try MarkupIndex(path, in: files))
        }
    }

    /// Adds an item to every index, and its snippets to those that `flush` writes.
    /// - Throws: `FileError`, `JobStoreError`.
    mutating func add(_ item: ItemRecord) async throws {
        let planned = PlannedItem(item, of: manifest)
        for (position, markup) in manifest.markups.enumerated() {
            let alt = planned.variables[markup.altColumn] ?? ""
            guard let picture = Picture(item, markup, alt: alt) else { continue }
            let hash = item.originalSHA256 ?? ""
            if let path = markup.snippetPath(of: planned, originalSHA256: hash) {
                guard claim(path) else {
                    pathsTaken.add("\(path) of \(item.location)")
                    continue
                }
                guard try await mayWrite(path, markup) else { continue }
                snippets.append(Snippet("\(picture.html)\n", at: path, of: item, for: markup))
            } else if let path = indexes[position]?.path {
                guard claim("\(path)\n\(planned.pathID)") else {
                    keysTaken.add("\(planned.pathID) of \(item.location)")
                    continue
                }
                try indexes[position]?.add(planned.pathID, picture)
            }
        }
    }

    /// Records all snippets, and writes those that differ from their files.
    ///
    /// A recorded file counts as a run's own file, also if the run is killed before it writes it.
    /// - Throws: `FileError`, `JobStoreError`.
    mutating func flush() async throws {
        guard !snippets.isEmpty else { return }
        try store.recordMarkup(snippets.map(\.record), pass: number)
        let files = files
        try await withThrowingTaskGroup(of: Void.self) { group in
            for snippet in snippets {
                let (path, data) = (snippet.record.path, snippet.data)
                group.addTask { try await files.write(data, to: path) }
            }
            try await group.waitForAll()
        }
        snippets.removeAll(keepingCapacity: true)
    }

    /// Completes the indexes, and orphans the files that the pass has not found wanted.
    /// - Throws: `FileError`, `JobStoreError`.
    mutating func end() async throws {
        for (position, markup) in manifest.markups.enumerated() {
            guard let record = try indexes[position]?.finish(of: markup) else { continue }
            try store.recordMarkup([record], pass: number)
            try await indexes[position]?.publish()
        }
        try store.endMarkupPass(number)
    }

    /// Sentences about what was left out.
    var warnings: [String] {
        var warnings: [String] = []
        if keysTaken.count > 0 {
            warnings.append(
                """
                the index of the markup lacks \(Quantity.count(keysTaken.count, "item")), since an earlier item has the \
                same id; the first is \(keysTaken.example): give every item its own id
                """
            )
        }
        if pathsTaken.count > 0 {
            warnings.append(
                """
                \(Quantity.count(pathsTaken.count, "snippet")) not written, since an earlier item has the same path; the \
                first is \(pathsTaken.example): add {id} or {index} to markup.file
                """
            )
        }
        if kept.count > 0 {
            warnings.append(
                """
                \(Quantity.count(kept.count, "file")) of markup not written, since another file is there and "existing" is \
                "keep"; the first is \(kept.example): move it away
                """
            )
        }
        return warnings
    }

    /// Returns false if an earlier entry has the same name.
    private mutating func claim(_ name: String) -> Bool {
        claims.insert(Digest.sha256.bytes(of: Data(name.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Returns false if there is a file that no run has written and that is to stay.
    private mutating func mayWrite(_ path: String, _ markup: Markup) async throws -> Bool {
        guard markup.existing == .keep, try !store.reader.hasMarkup(at: path), try await files.exists(path)
        else { return true }
        kept.add(path)
        return false
    }
}
