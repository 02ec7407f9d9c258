extension Source {
    /// Returns the source with other rows, and all its own settings.
    package func reading(_ kind: Kind) -> Source {
        var source = self
        source.kind = kind
        return source
    }
}

extension ItemList {
    /// The same list on standard input; one in Parquet as JSON Lines, which have its types.
    package var fromStandardInput: ItemList {
        ItemList(
            name: "standard input",
            path: nil,
            glob: nil,
            objects: nil,
            location: nil,
            format: format == .parquet ? .jsonl : format,
            isCompressed: false,
            columns: columns,
            hasColumns: hasColumns || format == .parquet,
            delimiter: delimiter
        )
    }
}
