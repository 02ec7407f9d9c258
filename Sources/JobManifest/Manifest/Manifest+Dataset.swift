/// The dataset that the outputs make, and its columns in Parquet.
extension Manifest {
    /// The reason of items that are skipped because their origin forbids their use in datasets.
    package static let optOut = "opt_out"
    /// The reason of items that are skipped because their origin's robots.txt forbids them.
    package static let robots = "robots"

    /// The reasons of items that are skipped because of their origins' wishes.
    package static let wishes = [optOut, robots]

    /// The columns of the images: `image` for that of the only output, else the outputs' names.
    package var imageColumns: [String] {
        outputs.count == 1 ? ["image"] : outputs.map { PathValue.sanitized($0.name) }
    }

    /// The columns about an item and its original that are texts.
    package static let itemTexts = ["key", "url", "id", "sha256"]
    /// The columns about an original that are whole numbers.
    package static let originalNumbers = ["bytes", "width", "height"]
    /// The column of the facts, as JSON.
    package static let factsColumn = "facts"
    /// The beginning of the names of the list's own columns.
    package static let listColumnPrefix = "columns."

    /// Returns true for the name of a column that is no image.
    static func isParquetColumn(_ name: String) -> Bool {
        (itemTexts + originalNumbers + [factsColumn]).contains(name) || name.hasPrefix(listColumnPrefix)
    }
}

extension DatasetSettings {
    /// Reads the settings, and compares them with the outputs, the facts and the sources; nil if there are none.
    init?(
        _ node: ManifestNode?,
        of outputs: [Output],
        facts: [Fact],
        from sources: [Manifest.CheckedSource]
    ) {
        guard let node, let fields = node.fields(Self.section) else { return nil }
        self.init()
        if outputs.isEmpty { node.report("needs at least one output: add \"outputs\"") }
        read(fields)
        // webdataset reads the ends of names without their case.
        let names = outputs.map { PathValue.sanitized($0.name) }.map { pack == .tar ? $0.lowercased() : $0 }
        if pack != nil, Set(names).count < outputs.count {
            fields.node("pack")?.report(
                "two outputs have the same name in a shard: use letters, digits, _ and - only"
                    + (pack == .tar ? ", and not the same letters in capitals" : "")
            )
        }
        if pack == .parquet, outputs.count > 1 {
            let taken = outputs.map { PathValue.sanitized($0.name) }.first(where: Manifest.isParquetColumn)
            if let taken {
                fields.node("pack")?.report(
                    "the output \(CanonicalJSON.quoted(taken)) has the name of another column: rename it"
                )
            }
        }
        if let node = fields.node("caption") {
            if fields.node("pack") == nil {
                node.report(
                    "is a file in shards: add \"pack\": \"tar\" or \"parquet\", or remove it; an index has all columns anyway"
                )
            }
            for caption in captions { Manifest.checkColumn(caption.column, at: node, sources: sources) }
        }
        if deduplication == .pixels, !facts.contains(.pdq) {
            fields.node("deduplicate")?.report("\"pixels\" compares the fact pdq: add \"pdq\" to \"facts\"")
        }
        if let node = fields.node("itemsPerFile"), fields.node("pack") == nil {
            node.report("is only for shards: add \"pack\": \"tar\" or \"parquet\", or remove it")
        }
    }
}
