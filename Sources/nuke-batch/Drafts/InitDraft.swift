import Files
import Foundation
import JobManifest
import JobPlanning

/// The manifest that `init` writes, with the answers to its questions.
struct InitDraft {
    /// The most items that are counted.
    private static let mostItems = 100_000

    /// The manifest's file.
    var path = "thumbnails.json"
    var widths = [400, 1200]
    var formats = [ImageOptions.Format.webp]
    /// The folder for the outputs; relative to the working directory, as the manifest's file is.
    var destination = "out"

    private let word: String
    private let argument: SourceArgument
    private let working: String
    /// The first rows of a list; nil for other sources.
    private let sample: ListSample?
    /// The column of the URLs where it is not `url`.
    private let urlColumn: String?

    /// Looks at the source that `word` names; relative paths start from `folder`, which is absolute.
    /// - Throws: `UsageError` for a source that does not exist, and for a list without a column of URLs;
    ///   `RunError.wrongInput` for a list that cannot be read.
    init(_ word: String, in folder: String) throws {
        self.word = word
        working = folder
        argument = try SourceArgument(word, in: folder)
        switch argument {
        case .list(let path, let format, let column):
            do {
                let sample = try ListSample(path: path, name: path, format: format, column: column)
                urlColumn = format == .txt ? nil : try sample.urlColumn(column, of: word)
                self.sample = sample
            } catch let error as SourceError {
                throw RunError.wrongInput(error.description)
            }
        case .standardInput:
            throw UsageError("init looks at a folder, a list or a URL; standard input can be read only once")
        default: (sample, urlColumn) = (nil, nil)
        }
    }

    /// Returns the manifest's text, which was checked, and what it found in the source.
    /// - Throws: `RunError.wrongInput` if the text is not a manifest.
    func checked() throws -> (text: String, found: String) {
        let text =
            "// Made by nuke-batch init. nuke-batch validate checks it after a change.\n\(json.lines)\n"
        do {
            let manifest = try Manifest.read(
                text,
                path: path,
                environment: ProcessInfo.processInfo.environment
            )
            return (text, try found(in: manifest))
        } catch let error as ManifestErrors {
            throw RunError.wrongInput(error.description)
        } catch let error as SourceError {
            throw RunError.wrongInput(error.description)
        }
    }

    private func found(in manifest: Manifest) throws(SourceError) -> String {
        let noun: String
        switch argument {
        // Nothing is asked of a store before a run.
        case .url(let url), .objects(let url): return url
        case .list, .standardInput: noun = "row"
        case .file, .folder, .glob: noun = "image"
        }
        let (count, bad) = try manifest.itemCount(ofSource: 0, upTo: Self.mostItems)
        let number = count == 0 ? "no \(noun)s yet" : Quantity.count(count, noun)
        let problems =
            bad.map { ", \($0.count) of them without a usable URL, the first in \($0.first)" } ?? ""
        return "\(count == Self.mostItems ? "at least " : "")\(number) in \(word)\(problems)"
    }

    private var json: JSONText {
        var members: [JSONText.Member] = [
            .init("sources", .list([source]), comment: sourceComment), .init("outputs", .list([output])),
            .init("destination", .literal(relative(FilePath.absolute(destination, in: working)))),
        ]
        if namesFiles { members.append(.init("network", ["fileRoots": [.literal(relative(working))]])) }
        return .object(members)
    }

    private var source: JSONText {
        switch argument {
        case .file(let path): return ["files": .literal(Glob.escaped(relative(path)))]
        case .folder(let path):
            let start = Glob.escaped(relative(path))
            return ["files": .literal("\(start == "." ? "" : start + "/")**/\(Glob.images)")]
        case .glob(let pattern, _):
            return ["files": .literal(pattern.hasPrefix("~") ? pattern : relative(pattern, isPattern: true))]
        case .url(let url): return Self.sitemap(of: url) ?? ["urls": [.literal(url)]]
        case .objects(let pattern): return ["objects": .literal(pattern)]
        case .list(let path, _, _):
            var members = [JSONText.Member("list", .literal(relative(path)))]
            var columns = urlColumn.map { [JSONText.Member("url", .text($0))] } ?? []
            if let id = sample?.idColumn, id != "id" { columns.append(.init("id", .text(id))) }
            if !columns.isEmpty { members.append(.init("columns", .object(columns))) }
            if namesFiles { members.append(.init("base", .literal(relative(working)))) }
            return .object(members)
        case .standardInput: return []
        }
    }

    private var sourceComment: String? {
        switch argument {
        case .folder: return "** crosses folders."
        case .list where sample?.columns.contains { !$0.isEmpty } == true:
            let columns = (sample?.columns ?? []).filter { !$0.isEmpty }.joined(separator: ", ")
            // A name with a line break would end the comment.
            return Output.printable(
                "Columns: \(columns). Each can be a variable in the path, such as {stem}."
            )
        default: return nil
        }
    }

    private var output: JSONText {
        var options = ImageOptions()
        options.widths = widths
        options.formats = formats
        // Of high quality, for whoever asks for the smallest file.
        if formats.contains(.smallest) { options.target = 70 }
        options.isPortable = true
        let size = Set(widths).count > 1 ? "-{width}" : ""
        options.name = "\(sample?.idColumn == nil ? location : "{id}")\(size).{ext}"
        guard case .list(let outputs) = options.outputs(keepsFiles: false),
            case .object(let members)? = outputs.first
        else { return [] }
        return .object(
            members.map { member in
                let comment =
                    member.name == "widths"
                    ? "One output for each width; images are never enlarged." : member.comment
                return JSONText.Member(member.name, member.value, comment: comment)
            }
        )
    }

    /// The beginning of the paths: hosts can have files of equal names.
    private var location: String {
        switch argument {
        case .url: "{host}/{dir}/{stem}"
        case .list where !namesFiles: "{host}/{dir}/{stem}"
        default: "{dir}/{stem}"
        }
    }

    /// True if rows of a list are paths, which start from the working directory.
    private var namesFiles: Bool { sample?.hasPaths(in: urlColumn ?? (isText ? "" : "url")) ?? false }

    private var isText: Bool { if case .list(_, .txt, _) = argument { true } else { false } }

    /// The source of a sitemap, or of a site by its usual sitemap; nil for the URL of a file.
    private static func sitemap(of url: String) -> JSONText? {
        guard let path = URL(string: url)?.path, url.lowercased().hasPrefix("http") else { return nil }
        if path.isEmpty || path == "/" {
            return ["sitemap": .literal(url + (url.hasSuffix("/") ? "" : "/") + "sitemap.xml")]
        }
        let isMap = [".xml", ".xml.gz"].contains { path.lowercased().hasSuffix($0) }
        return isMap ? ["sitemap": .literal(url)] : nil
    }

    /// Returns an absolute path or pattern as it is relative to the manifest's folder.
    private func relative(_ path: String, isPattern: Bool = false) -> String {
        let file = FilePath.absolute(self.path, in: working)
        let folder = file.parts(at: "/").dropLast().joined(separator: "/")
        let from = (isPattern ? Glob.escaped(folder) : folder).parts(at: "/").filter { !$0.isEmpty }
        let to = path.parts(at: "/").filter { !$0.isEmpty }
        let common = zip(from, to).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let parts = Array(repeating: "..", count: from.count - common) + to.dropFirst(common).map(String.init)
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }
}
