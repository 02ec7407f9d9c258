/// Looks at the lists, databases and folders that the sources of a manifest name.
///
/// Reading rows is not the manifest's own work, so what can read them is handed in.
package protocol SourceInspecting {
    /// Checks that a source exists, and returns the columns that are path variables of all its items.
    ///
    /// Returns nil if only the rows can tell.
    /// - Throws: `SourceError` for a list, folder, column or table that is missing.
    func columns(of source: Source) throws(SourceError) -> [String]?

    /// Checks that the program that writes Parquet is there.
    /// - Throws: `SourceError` that says how to install it.
    func requireParquet() throws(SourceError)
}
