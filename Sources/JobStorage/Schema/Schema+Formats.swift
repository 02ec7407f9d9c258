extension Schema {
    /// The format of each file, which is not in every path, and not in the manifest where the smallest file decides.
    static let addFormats = """
        ALTER TABLE output ADD COLUMN
            format /* file format, such as webp; NULL: there is no file, or an earlier release recorded it */ TEXT;
        DROP VIEW outputs_view;
        \(outputsView("o.format", "o.encoder", "o.quality", "o.ssimulacra2", "o.shortfall"))
        """
}
