package import Foundation
import Glibc
public import JobManifest

/// Checks that the lists, columns, databases and folders of a manifest exist, without reading their rows.
struct SourceInspector: SourceInspecting {
    func columns(of source: Source) throws(SourceError) -> [String]? {
        switch source.kind {
        // Nothing is asked of a store before a run.
        case .urls, .template, .objects: return nil
        case .list(let list): return try list.checkedColumns()
        case .files(let files):
            for glob in files.globs { try glob.checkRoot() }
        case .sitemap(let sitemap): try sitemap.checkFile()
        case .sqlite(let query): return try query.checkedColumns()
        }
        return nil
    }

    func requireParquet() throws(SourceError) {
        do throws(ParquetError) {
            _ = try ParquetProgram()
        } catch {
            throw SourceError("dataset", error.description)
        }
    }
}

/// Takes the sources of a manifest as they are written: a job that ran may be looked at when its lists are gone.
private struct RecordedSources: SourceInspecting {
    func columns(of source: Source) throws(SourceError) -> [String]? { nil }

    func requireParquet() {}
}

extension Manifest {
    /// Reads and checks a manifest, and checks that its lists, their columns and its folders exist.
    ///
    /// With `"include"`, it gets the keys that it lacks from other files. Files named `.yaml` or `.yml` are YAML, others are
    /// JSON. Nothing is loaded or written, and standard input is read only for the path `-`.
    /// - Parameters:
    ///   - path: The manifest's file, relative to the working directory; `-` for standard input.
    ///   - environment: The variables for `${NAME}`.
    ///   - checksSources: False to leave the lists and folders alone, for what reads only the recorded state.
    /// - Returns: A valid manifest.
    /// - Throws: All errors at once, each with its line, column and remedy.
    public static func read(
        path: String,
        environment: [String: String],
        checksSources: Bool = true
    ) throws(ManifestErrors) -> Manifest {
        let inspector: any SourceInspecting = checksSources ? SourceInspector() : RecordedSources()
        return try read(path: path, environment: environment, inspector: inspector)
    }

    /// Reads a manifest but not its lists and folders, also on a machine that does not have its `files`: with them no file of this
    /// machine is opened.
    ///
    /// `text` is that of one which has been read from standard input before.
    package static func readRecorded(
        path: String,
        text: Data? = nil,
        files: [String: Data]? = nil,
        environment: [String: String]
    ) throws(ManifestErrors) -> Manifest {
        try read(path: path, text: text, files: files, environment: environment, inspector: RecordedSources())
    }

    /// Reads and checks a manifest as above, with this text in place of the file's, which need not exist.
    package static func read(
        _ text: String,
        path: String,
        environment: [String: String]
    ) throws(ManifestErrors) -> Manifest {
        try read(path: path, text: Data(text.utf8), environment: environment, inspector: SourceInspector())
    }

    /// Returns the number of items of a source that is no sitemap and no listing, counted up to `limit`, and of those that cannot be
    /// loaded, with a sentence about the first one; nil if there are none.
    package func itemCount(
        ofSource index: Int,
        upTo limit: Int
    ) throws(SourceError) -> (count: Int, bad: (count: Int, first: String)?) {
        var manifest = self
        manifest.sources = [sources[index]]
        let reader = ItemReader(manifest)
        var count = 0
        var bad: (count: Int, first: String)?
        while count < limit, let item = try reader.next() {
            count += 1
            guard let problem = item.problem else { continue }
            bad = ((bad?.count ?? 0) + 1, bad?.first ?? "\(item.location): \(problem.message)")
        }
        return (count, bad)
    }
}

extension Glob {
    /// Checks that the root exists, and the file if it is named without a wildcard.
    func checkRoot() throws(SourceError) {
        var status = stat()
        guard stat(root, &status) == 0 else { throw .system(errno, file: root, doing: "looking for it") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw SourceError(root, "is not a folder") }
        guard let literal else { return }
        guard stat(literal, &status) == 0 else {
            throw .system(errno, file: literal, doing: "looking for it")
        }
    }
}
