package import JobManifest
package import JobPlanning

/// The canonical form of rows, for programs that move them: `fleet key`.
package struct PartitionKeys {
    private let manifest: Manifest

    /// Creates the keys of a source's rows, which come from standard input in the format of the source's list; those of a list in
    /// Parquet as lines of JSON.
    /// - Throws: `RunError.wrongInput` for a source that is no list.
    package init(_ manifest: Manifest, source: Int) throws(RunError) {
        guard manifest.sources.indices.contains(source), case .list(let list) = manifest.sources[source].kind
        else {
            throw .wrongInput(
                "--source \(source): fleet key reads the rows of lists, and sources[\(source)] is none"
            )
        }
        var manifest = manifest
        for index in manifest.sources.indices {
            manifest.sources[index] = manifest.sources[index].reading(
                index == source ? .list(list.fromStandardInput) : .urls([])
            )
        }
        self.manifest = manifest
    }

    /// Emits `KEY \t HOST \t JSON` for each row, in order; the ordinal in it is 0.
    /// - Throws: `RunError.wrongInput` for rows that cannot be read.
    package func forEachLine(_ emit: (String) -> Void) throws(RunError) {
        try RunError.wrapping {
            let reader = ItemReader(manifest)
            while let item = try reader.next() { emit(Self.line(of: item)) }
        }
    }

    /// Returns the line of one item.
    static func line(of item: PlannedItem) -> String {
        var line = PartitionLine(item)
        line.ordinal = 0
        return "\(line.key)\t\(URLPieces(item).authority)\t\(line.text)"
    }
}
