import Files
import Foundation

/// A file of a manifest, taken apart: the manifest's own, or one that it includes.
struct ManifestFile {
    /// Files of one manifest at the most: what includes each other twice over could go on for ever.
    private static let mostFiles = 100
    /// The keys that are a file's own, and no defaults for the manifest that includes it.
    private static let ownKeys: Set = ["$schema", "version", "include"]

    let reading: ManifestReading
    /// Absolute.
    private let path: String
    private let sha256: String
    /// Its keys; nil where the text is no object.
    private let fields: Fields?

    /// Takes the text of the file `name` apart, which is at `path`.
    private init(name: String, path: String, text: Data, _ shared: ManifestReading.Shared) {
        self.path = path
        sha256 = Digest.sha256.hex(of: text)
        reading = ManifestReading(file: name, text: text, folder: FilePath.folder(of: path), shared)
        let reading = reading
        fields = text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Fields? in
            let text = bytes.bindMemory(to: UInt8.self)
            do throws(JSONParser.SyntaxError) {
                let document = try JSONParser.parse(text)
                reading.report(document.duplicateKeys, of: text)
                let root = ManifestNode(value: document.root, path: .top, reading: reading)
                let fields = root.fields(.manifest)
                _ = fields?["$schema"]?.string()
                if let node = fields?["version"], let version = node.integer(0...1_000_000), version != 1 {
                    node.report("version \(version) is not known to this release: it reads version 1")
                }
                return fields
            } catch {
                reading.report(error.message, at: error.offset, path: .top)
                return nil
            }
        }
    }

    /// A manifest's own file and, behind it, those that it includes, each before those that it includes itself.
    ///
    /// What is wrong with an inclusion is reported where it stands.
    /// - Throws: the sentence of what is wrong with the manifest's own file, if it cannot be read.
    static func all(
        _ name: String,
        at path: String,
        _ shared: ManifestReading.Shared
    ) throws(PlanningError) -> [ManifestFile] {
        let text = try contents(of: path, name: name)
        var files = [ManifestFile(name: name, path: path, text: text, shared)]
        include(files[0], in: &files, through: [path])
        return files
    }

    private static func include(_ file: ManifestFile, in files: inout [ManifestFile], through chain: [String])
    {
        guard let include = file.fields?["include"] else { return }
        let nodes: [ManifestNode]
        if case .string = include.value.kind { nodes = [include] } else { nodes = include.elements() ?? [] }
        for node in nodes {
            guard let written = node.expandedString() else { continue }
            let path = FilePath.absolute(written, in: file.reading.folder)
            guard !chain.contains(path) else {
                node.report(
                    "\(ManifestNode.quoted(written)) leads back to itself: remove one of the inclusions"
                )
                continue
            }
            guard files.count < mostFiles else {
                node.report("is one inclusion too many: a manifest has at most \(mostFiles) files")
                return
            }
            do {
                let folder = file.reading.file.lastIndex(of: "/").map { file.reading.file[...$0] } ?? ""
                let name = written.hasPrefix("/") ? written : folder + written
                let text = try contents(of: path, name: name)
                let included = ManifestFile(name: name, path: path, text: text, file.reading.shared)
                files.append(included)
                Self.include(included, in: &files, through: chain + [path])
            } catch {
                node.report("\(ManifestNode.quoted(written)) cannot be included: \(error.message)")
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
        return Fields(owner: own.owner, nodes: nodes, keys: own.keys)
    }

    /// SHA-256 of a manifest's file; with those that it includes, of the digests of all.
    static func sha256(of files: [ManifestFile]) -> String {
        guard files.count > 1 else { return files.first?.sha256 ?? "" }
        return Digest.sha256.hex(of: files.map { "\($0.sha256) \($0.path)" }.joined(separator: "\n"))
    }

    private static func contents(of path: String, name: String) throws(PlanningError) -> Data {
        let limit = JSONParser.Limits().size
        let stream = try FileStream(path: path, name: name)
        var text = Data()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try stream.read(into: buffer), count > 0 {
            text.append(contentsOf: buffer[..<count])
            guard text.count <= limit else {
                throw PlanningError(
                    file: name,
                    message: "is larger than \(limit) bytes: put the URLs into a list of their own"
                )
            }
        }
        return text
    }
}

extension ManifestReading {
    fileprivate func report(_ duplicates: [JSONParser.DuplicateKey], of text: UnsafeBufferPointer<UInt8>) {
        let firsts = duplicates.map(\.firstOffset)
        let sorted = firsts.sorted()
        let places = Dictionary(
            zip(sorted, TextPosition.positions(of: sorted, in: text)),
            uniquingKeysWith: { first, _ in first }
        )
        for (duplicate, first) in zip(duplicates, firsts) {
            let place = places[first].map { " in line \($0.line), column \($0.column)" } ?? ""
            report(
                "the key is here already\(place): remove one of them",
                at: duplicate.offset,
                path: duplicate.path
            )
        }
    }
}
