import Files
import JobManifest
import JobStorage

/// Refuses a plan in which a source has no items any more that the last plan had items of: most often, a list that came out empty by
/// mistake.
struct EmptiedSources {
    /// The name under which the state keeps the number of rows of each source.
    private static let note = "sources"

    private let manifest: Manifest
    private let store: JobStore

    init(_ manifest: Manifest, store: JobStore) {
        (self.manifest, self.store) = (manifest, store)
    }

    /// Checks the numbers of rows of the sources, before the new plan is in force.
    /// - Throws: `RunError.wrongInput`, `JobStoreError`.
    func check(_ counts: [Int]) throws {
        guard let last = try store.reader.revision(), manifest.plannedItems.isEmpty else { return }
        let known = [String: String](json: try store.reader.note(Self.note))
        let isEmpty = counts.allSatisfy { $0 == 0 }
        let emptied = zip(manifest.sources, counts).compactMap { source, count -> String? in
            guard count == 0, !source.allowsEmpty else { return nil }
            // Of a source that is new, or of a plan of an earlier release, only the whole is known.
            let before = known[source.identity].flatMap { Int($0) } ?? (isEmpty ? last.items : 0)
            guard before > 0 else { return nil }
            return "\(source.emptiness) any more, the last plan had \(before)"
        }
        guard let first = emptied.first else { return }
        let others = emptied.count > 1 ? " (and \(emptied.count - 1) more sources)" : ""
        throw RunError.wrongInput(
            "\(first)\(others): set \"allowEmpty\": true on the source if that is right; nothing was changed"
        )
    }

    /// Keeps the numbers of rows, once the plan is in force.
    /// - Throws: `JobStoreError`.
    func keep(_ counts: [Int]) throws(JobStoreError) {
        guard manifest.plannedItems.isEmpty else { return }
        var known: [String: Int] = [:]
        for (source, count) in zip(manifest.sources, counts) { known[source.identity, default: 0] += count }
        try store.note(Self.note, JSONLine.text(known.mapValues { String($0) }))
    }
}

extension Source {
    /// A text by which the source is known again in another plan, also at another place of the manifest; it holds no secret.
    fileprivate var identity: String {
        switch kind {
        case .urls: "urls"
        case .list(let list): "list \(list.name)"
        case .files(let files): "files \(files.globs.map(\.pattern).joined(separator: " "))"
        case .objects(let objects): "objects \(objects.written.joined(separator: " "))"
        case .template(let template): "template \(template.variables.map(\.name).joined(separator: " "))"
        case .sitemap(let sitemap): "sitemap \(Digest.sha256.hex(of: sitemap.written))"
        case .sqlite(let query): "sqlite \(query.name) \(Digest.sha256.hex(of: query.query))"
        }
    }

    /// The beginning of a sentence that the source has no items.
    fileprivate var emptiness: String {
        switch kind {
        case .urls: "\"urls\" has no entries"
        case .list(let list): "\(list.label) has no rows"
        case .files(let files): "\(files.globs.map(\.pattern).joined(separator: ", ")) matches no files"
        case .objects(let objects): "\(objects.label) matches no objects"
        case .template: "\"template\" makes no URLs"
        case .sitemap(let sitemap): "\(sitemap.label) has no images"
        case .sqlite(let query): "the query of \(query.name) has no rows"
        }
    }
}
