import Files
import Foundation
import JobManifest

/// A text that changes when a source of the manifest changes, made without reading the lists.
struct ListState {
    let text: String
    /// False if changes cannot be detected: for standard input and pipes.
    let isKnown: Bool

    /// Inspects the lists and what was loaded of other places, and walks the folders of the globs.
    /// - Throws: `SourceError` if a folder of a glob cannot be read, or when `isStopped` returns true.
    init(
        _ manifest: Manifest,
        loaded: LoadedSources,
        own: OwnFiles,
        isStopped: @escaping @Sendable () -> Bool
    ) throws(SourceError) {
        var texts: [String] = []
        var isKnown = true
        for (index, source) in manifest.sources.enumerated() {
            switch source.kind {
            case .urls, .template:
                texts.append("manifest")
            case .list(let list) where list.format == .parquet:
                let remote = list.location == nil ? [] : try loaded.files(ofList: index)
                for file in try list.parquetFiles(remote, own: own, isStopped: isStopped) {
                    let fingerprint =
                        file.object?.fingerprint ?? ListFingerprint(path: file.path)?.description
                    if fingerprint == nil { isKnown = false }
                    texts.append("\(file.name) \(fingerprint ?? "unknown")")
                }
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
                texts.append(try loaded.objects(of: index).digest())
            case .sqlite(let query):
                // Changes that are not checkpointed yet are in the write-ahead log.
                let file = ListFingerprint(path: query.path)
                let log = ListFingerprint(path: query.path + "-wal").flatMap { $0.size > 0 ? $0 : nil }
                if file == nil { isKnown = false }
                texts.append("\(file?.description ?? "unknown") \(log?.description ?? "")")
            }
        }
        text = texts.joined(separator: "\n")
        self.isKnown = isKnown
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
