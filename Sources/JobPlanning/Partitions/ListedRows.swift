package import JobManifest

/// The files of a manifest's list, for a program that reads the rows itself.
package struct ListedRows: Sendable, Encodable {
    /// The index of the source in the manifest, from 0.
    let source: Int
    /// `txt`, `csv`, `tsv`, `jsonl` or `parquet`.
    let format: String
    /// The absolute paths, or URLs of a bucket, in the order of their rows.
    let paths: [String]
    /// The columns of a table that the manifest uses; empty for lists of other formats, and where all are used.
    let columns: [String]
    /// True if outputs have paths that are known before anything is loaded, so that two rows can have the same.
    let hasPaths: Bool

    /// Returns the lists of a manifest, whose sources must all be lists that can be read again.
    /// - Throws: `RunError.wrongInput`.
    package static func all(of manifest: Manifest) throws(RunError) -> [ListedRows] {
        guard manifest.plannedItems.isEmpty else {
            throw .wrongInput(
                "\(manifest.path) has planned items: plan it with nuke-batch fleet plan on one machine"
            )
        }
        var lists: [ListedRows] = []
        for (index, source) in manifest.sources.enumerated() {
            guard case .list(let list) = source.kind, !list.isStandardInput else {
                throw .wrongInput(
                    "sources[\(index)] is no list in a file: plan the job with nuke-batch fleet plan on one machine"
                )
            }
            let paths: [String]
            do throws(SourceError) {
                paths =
                    if let location = list.location {
                        [location]
                    } else {
                        try list.parquetFiles(own: OwnFiles(manifest)).map(\.path)
                    }
            } catch {
                throw .wrongInput(error.description)
            }
            let used = list.format == .parquet ? manifest.usedColumns(of: source) : nil
            lists.append(
                ListedRows(
                    source: index,
                    format: list.format.rawValue,
                    paths: paths,
                    columns: used.map { Array($0.required.union($0.optional)).sorted() } ?? [],
                    hasPaths: !manifest.claimedPaths.isEmpty
                )
            )
        }
        return lists
    }
}
