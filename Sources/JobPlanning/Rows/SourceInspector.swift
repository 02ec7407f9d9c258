import Glibc
public import JobManifest

/// Looks for the lists, columns, databases and folders that a manifest names, without reading their rows.
struct SourceInspector: SourceInspecting {
    func columns(of source: Source) throws(SourceError) -> [String]? {
        switch source.kind {
        case .urls, .template: return nil
        case .list(let list): return try list.checkedColumns()
        case .files(let glob): try glob.checkRoot()
        case .sitemap(let sitemap): try sitemap.checkFile()
        case .sqlite(let query): return try query.checkedColumns()
        }
        return nil
    }
}

extension Manifest {
    /// Reads and checks a manifest, and that its lists with their columns and its folders are there.
    ///
    /// With `"include"` it has the keys of other files too, as far as it lacks them.
    /// Nothing is loaded and nothing is written. Standard input is not touched.
    /// - Parameters:
    ///   - path: The manifest's file; relative to the working directory.
    ///   - environment: The variables that `${NAME}` may name.
    /// - Returns: a manifest in which everything can be done.
    /// - Throws: every error at once, each with its line, column and remedy.
    public static func read(
        path: String,
        environment: [String: String]
    ) throws(ManifestErrors) -> Manifest {
        try read(path: path, environment: environment, inspector: SourceInspector())
    }
}

extension Glob {
    /// Looks for the root, without which nothing could be found.
    func checkRoot() throws(SourceError) {
        var status = stat()
        guard stat(root, &status) == 0 else { throw .system(errno, file: root, doing: "looking for it") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SourceError(file: root, message: "is not a folder")
        }
    }
}
