import Files
import Foundation

/// A parsed file of a manifest: its own, or one that it includes.
struct ManifestFile {
    /// The most files of one manifest, since files that include each other twice multiply.
    private static let mostFiles = 100
    /// The keys that an including manifest does not take over.
    private static let ownKeys: Set = [
        ManifestKeys.schema.name, ManifestKeys.version.name, ManifestKeys.include.name,
    ]

    let reading: ManifestReading
    /// The absolute path of the file.
    private let path: String
    private let sha256: String
    /// The top-level keys; nil if the text is not an object.
    private let fields: Fields?

    /// Takes the text of the file `name` apart, which is at `path`.
    private init(
        name: String,
        path: String,
        text: Data,
        language: ManifestLanguage,
        _ shared: ManifestReading.Shared
    ) {
        self.path = path
        sha256 = Digest.sha256.hex(of: text)
        reading = ManifestReading(file: name, text: text, folder: Folder.enclosing(path), shared)
        fields = language.root(of: text, reading).flatMap { [reading] root in
            let fields = ManifestNode(value: root, path: .top, reading: reading).fields(Manifest.section)
            _ = fields?[ManifestKeys.schema]
            if let version = fields?[ManifestKeys.version], version != ManifestKeys.version.standard {
                fields?.node(ManifestKeys.version)?.report(
                    "version \(version) is unknown: this release reads version 1"
                )
            }
            return fields
        }
    }

    /// The bytes of a manifest's own file, which may be a pipe, of standard input or of a program's text.
    static func contents(
        of origin: Manifest.Origin,
        _ shared: ManifestReading.Shared
    ) throws(SourceError) -> Data {
        switch origin {
        case .file(let name, let path):
            try shared.files.contents(of: path) { () throws(SourceError) in
                try contents(of: FileStream(path: path, name: name))
            }
        case .standardInput: try contents(of: FileStream(standardInputAs: origin.name))
        case .code(let text): text
        }
    }

    /// A manifest's own file, whose bytes are `text`, and behind it those that it includes, each before those that it
    /// includes itself.
    ///
    /// A problem of an inclusion is reported at its position.
    static func all(
        _ origin: Manifest.Origin,
        text: Data,
        _ shared: ManifestReading.Shared
    ) -> [ManifestFile] {
        let path = origin.path
        let language =
            switch origin {
            // It may have come from standard input at first.
            case .file where shared.files.contains(path) && ManifestLanguage(path: path) == .json:
                ManifestLanguage(text: text)
            case .file: ManifestLanguage(path: path)
            case .standardInput: ManifestLanguage(text: text)
            case .code: ManifestLanguage.json
            }
        var files = [ManifestFile(name: origin.name, path: path, text: text, language: language, shared)]
        include(files[0], in: &files, through: [path])
        return files
    }

    private static func include(_ file: ManifestFile, in files: inout [ManifestFile], through chain: [String])
    {
        guard let include = file.fields?[ManifestKeys.include] else { return }
        let nodes: [ManifestNode]
        if case .string = include.value.kind { nodes = [include] } else { nodes = include.elements() ?? [] }
        for node in nodes {
            guard let written = node.expandedString() else { continue }
            let path = FilePath.absolute(written, in: file.reading.folder)
            guard !chain.contains(path) else {
                node.report("\(CanonicalJSON.quoted(written)) includes itself: remove one of the inclusions")
                continue
            }
            guard files.count < mostFiles else {
                node.report("exceeds the limit of \(mostFiles) files: include fewer")
                return
            }
            do {
                let including = file.reading.file
                let slash = including.unicodeScalars.lastIndex(of: "/")
                let folder = slash.map { including.prefix(through: $0) } ?? ""
                let name = written.utf8.first == UInt8(ascii: "/") ? written : folder + written
                let text = try file.reading.shared.files.contents(of: path) { () throws(SourceError) in
                    try contents(of: FileStream(path: path, name: name, mustBeRegular: true))
                }
                let included = ManifestFile(
                    name: name,
                    path: path,
                    text: text,
                    language: ManifestLanguage(path: path),
                    file.reading.shared
                )
                files.append(included)
                Self.include(included, in: &files, through: chain + [path])
            } catch {
                node.report("\(CanonicalJSON.quoted(written)) cannot be included: \(error.message)")
            }
        }
    }

    /// The keys of a manifest's files: where several have one, that of the first file holds, with all that is in it.
    static func fields(of files: [ManifestFile]) -> Fields? {
        guard let own = files.first?.fields else { return nil }
        var nodes = own.nodes
        for fields in files.dropFirst().compactMap(\.fields) {
            nodes.merge(fields.nodes.filter { !ownKeys.contains($0.key) }) { first, _ in first }
        }
        return Fields(section: own.section, owner: own.owner, nodes: nodes, count: own.count)
    }

    /// SHA-256 of a manifest's file; with those that it includes, of the digests of all.
    static func sha256(of files: [ManifestFile]) -> String {
        guard files.count > 1 else { return files.first?.sha256 ?? "" }
        return Digest.sha256.hex(of: files.map { "\($0.sha256) \($0.path)" }.joined(separator: "\n"))
    }

    private static func contents(of stream: FileStream) throws(SourceError) -> Data {
        let limit = JSONParser.Limits().size
        var text = Data()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try stream.read(into: buffer), count > 0 {
            text.append(contentsOf: buffer[..<count])
            guard text.count <= limit else {
                throw SourceError(stream.name, "is larger than \(limit) bytes: move the URLs to a list")
            }
        }
        return text
    }
}
