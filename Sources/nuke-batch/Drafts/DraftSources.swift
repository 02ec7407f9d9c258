import Files
import Foundation
import JobManifest
import JobPlanning

/// The `sources` of a manifest for the sources on a command line.
///
/// All files are one source, and so are all URLs; each folder, glob and list is one of its own.
struct DraftSources {
    /// A source of the manifest, with the words that it comes from.
    private struct Source {
        /// The first of its words, for errors.
        let word: String
        let argument: SourceArgument
        /// The files or the URLs; empty for other sources.
        var members: [String] = []
    }

    private let sources: [Source]
    private let folder: String
    private let isRecursive: Bool
    /// The columns of the URLs, where a list has to name one.
    private let columns: [String?]

    /// Finds the sources that `words` name; relative paths start from `folder`, which is absolute.
    /// - Throws: `UsageError` for a source that does not exist, and for a list without a column of URLs;
    ///   `RunError.wrongInput` for a list that cannot be read.
    init(_ words: [String], isRecursive: Bool, in folder: String) throws {
        var sources: [Source] = []
        var files: Int?
        var urls: Int?
        for word in words {
            let argument = try SourceArgument(word, in: folder)
            switch argument {
            case .file(let path):
                files = Self.add(path, to: files, of: &sources, Source(word: word, argument: argument))
            case .url(let url):
                urls = Self.add(url, to: urls, of: &sources, Source(word: word, argument: argument))
            case .folder, .glob, .objects, .list, .standardInput:
                sources.append(Source(word: word, argument: argument))
            }
        }
        self.sources = sources
        self.folder = folder
        self.isRecursive = isRecursive
        columns = try sources.map { try Self.column(of: $0) }
    }

    /// Adds a file or URL to the source at `index`, or to `new` at the end, and returns the index.
    private static func add(_ member: String, to index: Int?, of sources: inout [Source], _ new: Source)
        -> Int
    {
        if index == nil { sources.append(new) }
        let index = index ?? sources.count - 1
        sources[index].members.append(member)
        return index
    }

    /// The elements of `sources`.
    var json: JSONText { .list(zip(sources, columns).map(json)) }

    /// The word that the source at `index` comes from.
    func word(_ index: Int) -> String {
        sources.indices.contains(index) ? sources[index].word : "the sources"
    }

    /// True if rows of a list can name files: those below the working directory may be read.
    var hasLists: Bool {
        sources.contains { source in
            switch source.argument {
            case .list, .standardInput: true
            case .file, .folder, .glob, .url, .objects: false
            }
        }
    }

    /// The folders that files are read from; for lists the working directory.
    var roots: [String] { folders + (hasLists ? [folder] : []) }

    /// The folders of files, folders and globs.
    var folders: [String] {
        sources.flatMap { source -> [String] in
            switch source.argument {
            case .file: Array(Set(source.members.map(Folder.enclosing)))
            case .folder(let path): [path]
            case .glob(_, let root): [root]
            case .url, .objects, .list, .standardInput: []
            }
        }
    }

    /// The folders whose files and folders a source may take.
    var walkedFolders: [String] {
        sources.flatMap { source -> [String] in
            switch source.argument {
            case .folder(let path): isRecursive ? [path] : []
            case .glob(_, let root): [root]
            case .file, .url, .objects, .list, .standardInput: []
            }
        }
    }

    /// Checks that each glob has a match, and that folders without images do not have them in folders of theirs.
    /// - Throws: `UsageError`, `SourceError`.
    func checkMatches(in manifest: Manifest) throws {
        for (index, source) in sources.enumerated() {
            switch source.argument {
            case .glob:
                if try manifest.itemCount(ofSource: index, upTo: 1).count == 0 {
                    throw UsageError("\(source.word) matches no file")
                }
            case .folder(let path) where !isRecursive:
                if try manifest.itemCount(ofSource: index, upTo: 1).count == 0, Self.hasFolders(path) {
                    throw UsageError(
                        "\(source.word) has no images of its own: --recursive takes those below it"
                    )
                }
            default: break
            }
        }
    }

    private func json(_ source: Source, _ column: String?) -> JSONText {
        switch source.argument {
        case .file:
            let paths = source.members.map { JSONText.literal(Glob.escaped($0)) }
            return ["files": .list(paths), "ignoreCase": false]
        case .url: return ["urls": .list(source.members.map(JSONText.literal))]
        case .folder(let path):
            let start = Glob.escaped(path == "/" ? "" : path)
            return ["files": .literal("\(start)/\(isRecursive ? "**/" : "")\(Glob.images)")]
        case .glob(let pattern, _): return ["files": .literal(pattern)]
        case .objects(let pattern): return ["objects": .literal(pattern)]
        case .list(let path, _, _):
            var members = [JSONText.Member("list", .literal(path))]
            if let column { members.append(.init("columns", ["url": .text(column)])) }
            return .object(members + [.init("base", .literal(folder))])
        case .standardInput: return ["list": "-", "as": "txt", "base": .literal(folder)]
        }
    }

    /// The column of URLs, where it is not the one that a manifest reads anyway.
    private static func column(of source: Source) throws -> String? {
        guard case .list(let path, let format, let column) = source.argument, format != .txt else {
            return nil
        }
        let sample: ListSample
        do {
            sample = try ListSample(path: path, name: path, format: format, column: column)
        } catch {
            throw RunError.wrongInput("\(error)")
        }
        return try sample.urlColumn(column, of: source.word)
    }

    private static func hasFolders(_ path: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.contains { name in
            !name.hasPrefix(".") && ((try? Presence.status(of: "\(path)/\(name)")) ?? nil)?.isFolder == true
        }
    }
}

extension ListSample {
    /// Returns the column of URLs or paths: the one that is given, `url`, or the only one with such values.
    ///
    /// Nil if that is `url`, which a manifest need not name.
    /// - Throws: `UsageError` that lists the columns.
    func urlColumn(_ given: String?, of word: String) throws(UsageError) -> String? {
        // A list without a header row has an error of its own.
        let standard = "url"
        guard !columns.isEmpty else { return given == standard ? nil : given }
        let all = columns.filter { !$0.isEmpty }.joined(separator: ", ")
        if let given {
            guard !columns.contains(given) else { return given == standard && !isTable ? nil : given }
            let hint = NearestName.nearest(to: given, among: columns).map { "did you mean \($0)?" }
            throw UsageError("\(word): the list has no column \(given); \(hint ?? "its columns are \(all)")")
        }
        guard !columns.contains(standard) else { return isTable ? standard : nil }
        let found = locationColumns
        guard found.count == 1 else {
            let problem =
                found.isEmpty
                ? "no column holds only URLs or paths of images"
                : "\(found.joined(separator: " and ")) hold URLs"
            throw UsageError("\(word): \(problem): name one as \(word):COLUMN; the columns are \(all)")
        }
        return found[0]
    }
}
