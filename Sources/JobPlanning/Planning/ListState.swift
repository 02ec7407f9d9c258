import Files
import Foundation
import JobManifest

/// A text that changes when a source of the manifest changes, made without reading the lists.
struct ListState {
    /// The text of each source, which stays the same as long as the source; nil for objects that are still listed.
    private var texts: [String?] = []
    /// False if changes cannot be detected: for standard input and pipes.
    private(set) var isKnown = true

    /// Inspects the lists and what was loaded of other places, and walks the folders of the globs.
    ///
    /// With `streams`, it does not wait for objects that are still listed: `finished` adds them.
    /// - Throws: `SourceError` if a folder of a glob cannot be read, or when `isStopped` returns true.
    init(
        _ manifest: Manifest,
        loaded: LoadedSources,
        own: OwnFiles,
        streams: Bool = false,
        isStopped: @escaping @Sendable () -> Bool
    ) throws(SourceError) {
        guard manifest.plannedItems.isEmpty else {
            texts = manifest.plannedItems.map {
                "\($0.name) \($0.sha256 ?? ListFingerprint(path: $0.path)?.description ?? "")"
            }
            return
        }
        for (index, source) in manifest.sources.enumerated() {
            switch source.kind {
            case .urls, .template:
                texts.append("manifest")
            case .list(let list) where list.format == .parquet:
                let remote = list.location == nil ? [] : try loaded.files(ofList: index)
                var files: [String] = []
                for file in try list.parquetFiles(remote, own: own, isStopped: isStopped) {
                    let fingerprint =
                        file.object?.fingerprint ?? ListFingerprint(path: file.path)?.description
                    if fingerprint == nil { isKnown = false }
                    files.append("\(file.name) \(fingerprint ?? "unknown")")
                }
                texts.append(files.joined(separator: "\n"))
            case .list(let list):
                let fingerprint =
                    list.location == nil
                    ? list.path.flatMap { ListFingerprint(path: $0) }?.description
                    : try loaded.list(of: index).fingerprint
                if fingerprint == nil { isKnown = false }
                texts.append(fingerprint ?? "unknown")
            case .files(let files):
                var rows = try FileRows(
                    files,
                    folder: manifest.folder,
                    schemes: ["file"],
                    own: own,
                    isStopped: isStopped
                )
                texts.append(try Self.digest(of: &rows))
            case .sitemap:
                texts.append(try loaded.sitemaps.digest(of: index))
            case .objects:
                texts.append(streams ? nil : try loaded.digestOfObjects(of: index, isStopped: isStopped))
            case .sqlite(let query):
                // Changes that are not checkpointed yet are in the write-ahead log.
                let file = ListFingerprint(path: query.path)
                let log = ListFingerprint(path: query.path + "-wal").flatMap { $0.size > 0 ? $0 : nil }
                if file == nil { isKnown = false }
                texts.append("\(file?.description ?? "unknown") \(log?.description ?? "")")
            }
        }
    }

    /// The text of all sources; nil while objects are still listed.
    var text: String? { texts.contains(nil) ? nil : texts.compactMap(\.self).joined(separator: "\n") }

    /// Returns the text of all sources, once the objects are listed.
    /// - Throws: `SourceError` if a listing failed, or when `isStopped` returns true.
    func finished(_ loaded: LoadedSources, isStopped: () -> Bool) throws(SourceError) -> String {
        var finished: [String] = []
        for index in texts.indices {
            if let text = texts[index] {
                finished.append(text)
            } else {
                finished.append(try loaded.digestOfObjects(of: index, isStopped: isStopped))
            }
        }
        return finished.joined(separator: "\n")
    }

    /// Returns a digest of the names, sizes and times of the selected files.
    private static func digest(of rows: inout FileRows) throws(SourceError) -> String {
        var digest = ""
        var names = ""
        while let row = try rows.next() {
            names += "\(row.url.url) \(row.validator ?? "")\n"
            if names.utf8.count > 1 << 16 {
                digest = Digest.sha256.hex(of: digest + names)
                names = ""
            }
        }
        return Digest.sha256.hex(of: digest + names)
    }
}
