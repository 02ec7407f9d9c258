import Files
import Foundation
import JobManifest
import JobPlanning

/// A source of images as a word on the command line; paths are absolute.
enum SourceArgument: Sendable {
    case file(String)
    case folder(String)
    /// A pattern in the form of the manifest's globs, and the folder before its first wildcard.
    case glob(String, root: String)
    case url(String)
    /// A pattern of the keys of a bucket, or a folder of them, in the form of the manifest's `objects`.
    case objects(String)
    case list(path: String, format: ItemList.Format, column: String?)
    case standardInput

    /// Finds out what `word` names; relative paths start from `folder`.
    /// - Throws: `UsageError` for a file or folder that does not exist, and for an invalid URL; `RunError.machine` for one that
    ///   cannot be looked at.
    init(_ word: String, in folder: String) throws {
        guard !word.isEmpty else {
            throw UsageError("a source is empty: name a file, a folder, a quoted glob, a URL or a list")
        }
        if word == "-" {
            self = .standardInput
            return
        }
        if ItemURL.isURL(word) {
            try self.init(url: word)
            return
        }
        let path = FilePath.absolute(word, in: folder)
        if let argument = try Self.existing(path, word) {
            self = argument
        } else if let list = try Self.listWithColumn(word, in: folder) {
            self = list
        } else if Glob.isWild(word) {
            let isAbsolute = word.utf8.starts(with: "/".utf8) || word.utf8.starts(with: "~/".utf8)
            let pattern = isAbsolute ? word : "\(Glob.escaped(folder == "/" ? "" : folder))/\(word)"
            let root = try Self.root(of: pattern, word, in: folder)
            guard try Self.status(of: root) != nil else {
                throw Self.missing(root.rest(behind: folder + "/") ?? root, at: root, in: folder)
            }
            self = .glob(pattern, root: root)
        } else if word.utf8.starts(with: "//".utf8) {
            // As browsers read it, where no file has this path.
            try self.init(url: "https:" + word)
        } else {
            throw Self.missing(word, at: path, in: folder)
        }
    }

    private init(url: String) throws {
        if ItemURL.isObject(url), Self.isPattern(url) {
            self = .objects(url)
            return
        }
        let schemes = ["https", "http", "ftp", "data", "file", "s3"]
        let checked = ItemURL.check(url, folder: "/", schemes: Set(schemes))
        if let problem = checked.problem {
            let message =
                problem.code == .scheme ? "use one of \(schemes.joined(separator: ", "))" : problem.message
            throw UsageError("\(url): \(message)")
        }
        if let path = ItemURL.path(ofFile: checked.url) {
            guard let argument = try Self.existing(path, url) else {
                throw Self.missing(path, at: path, in: "/")
            }
            self = argument
        } else {
            self = .url(url)
        }
    }

    /// True for the URL of objects that is not that of one image.
    private static func isPattern(_ url: String) -> Bool {
        let name = url.lowercased()
        return Glob.isWild(url) || !Glob.imageExtensions.contains { name.hasSuffix("." + $0) }
    }

    /// Returns the file, folder or list at `path`; nil if there is none.
    private static func existing(_ path: String, _ word: String) throws -> Self? {
        guard let status = try status(of: path) else { return nil }
        if status.isFolder { return .folder(path) }
        guard status.isFile else {
            throw UsageError(
                "\(word) is no regular file: for a list from another program, use - as the source"
            )
        }
        if let format = ItemList.Format(ofFile: path) {
            return .list(path: path, format: format, column: nil)
        }
        return .file(target(of: path))
    }

    /// Returns the list of `LIST:COLUMN`; nil if no colon has a list before it.
    private static func listWithColumn(_ word: String, in folder: String) throws -> Self? {
        var end = word.unicodeScalars.endIndex
        while let colon = word.unicodeScalars[..<end].lastIndex(of: ":") {
            end = colon
            let name = String(word[..<colon])
            let column = String(word.rest(after: colon))
            let path = FilePath.absolute(name, in: folder)
            guard !name.isEmpty, let format = ItemList.Format(ofFile: name),
                try status(of: path)?.isFile == true
            else { continue }
            switch format {
            case .csv, .tsv, .jsonl, .parquet:
                guard !column.isEmpty else { throw UsageError("\(word) names no column after the colon") }
                return .list(path: path, format: format, column: column)
            case .txt: throw UsageError("\(word): a text list has no columns: leave out :\(column)")
            }
        }
        return nil
    }

    /// The folder before the first wildcard of a pattern, as the manifest's reader finds it.
    private static func root(of pattern: String, _ word: String, in folder: String) throws(UsageError)
        -> String
    {
        let home = Variables(environment: ProcessInfo.processInfo.environment).home
        do {
            return try Glob(pattern, folder: folder, home: home).root
        } catch {
            throw UsageError("\(word): \(error.message)")
        }
    }

    /// The attributes of what a path leads to; nil if there is nothing.
    /// - Throws: `RunError.machine` if that cannot be found out.
    private static func status(of path: String) throws(RunError) -> Folder.Status? {
        do throws(FileError) {
            return try Presence.status(of: path)
        } catch {
            // No file has such a name, whatever was meant.
            if [ENOTDIR, ENAMETOOLONG].contains(error.code) { return nil }
            throw .machine(error.description)
        }
    }

    /// True if there is surely something; enough for a hint.
    private static func isThere(_ path: String) -> Bool {
        (try? Presence.exists(path)) ?? false
    }

    /// The file that a link leads to, since globs follow no link out of its folder; other paths as they are.
    private static func target(of path: String) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let isLink = attributes?[.type] as? FileAttributeType == .typeSymbolicLink
        return isLink ? (path as NSString).resolvingSymlinksInPath : path
    }

    /// Returns the error of a path that leads nowhere, with the name beside it that was probably meant.
    private static func missing(_ word: String, at path: String, in folder: String) -> UsageError {
        // What is not UTF-8 on a command line becomes U+FFFD, which no name of a file has.
        let isRepaired = word.unicodeScalars.contains("\u{FFFD}")
        let remedy = "its name is not UTF-8, so name its folder, or quote a glob such as '*.jpg'"
        let problem = "there is no file or folder \(word)" + (isRepaired ? "; " + remedy : "")
        var parent = ""
        var rest = path.parts(at: "/").drop(while: \.isEmpty)
        while let part = rest.first, isThere("\(parent)/\(part)") {
            parent += "/\(part)"
            rest = rest.dropFirst()
        }
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: parent.isEmpty ? "/" : parent)) ?? []
        if let part = rest.first,
            let name = NearestName.nearest(to: String(part), among: names.prefix(10_000))
        {
            let found = ([parent, name] + rest.dropFirst().map(String.init)).joined(separator: "/")
            if isThere(found) {
                let shown =
                    word.utf8.starts(with: "/".utf8) ? found : found.rest(behind: folder + "/") ?? found
                return UsageError("\(problem); did you mean \(shown)?")
            }
        }
        return UsageError("\(problem); a source is a file, a folder, a quoted glob, a URL or a list")
    }
}
