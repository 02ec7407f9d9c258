import Files
import JobManifest
import JobStorage

/// The search for folders of finished outputs that are missing or empty, as after `rm -rf` or where a volume is not mounted.
///
/// It looks at the folders that the manifest names, never at files; `verify` looks at these. `CacheCheck` looks for the
/// originals.
struct LostFolders {
    private let manifest: Manifest
    private let reader: JobReader

    /// Creates the search; `reader` knows what earlier runs have made.
    init(_ manifest: Manifest, _ reader: JobReader) {
        self.manifest = manifest
        self.reader = reader
    }

    /// Returns a sentence about each folder that is missing or empty although it should have contents.
    /// - Throws: `JobStoreError`.
    func warnings() throws(JobStoreError) -> [String] {
        guard !manifest.outputs.isEmpty, let root = manifest.destination.folder else { return [] }
        let all = manifest.outputs.map(\.name)
        if let state = Self.state(of: "", in: root) {
            return try sentence(about: root, state, of: all).map { [$0] } ?? []
        }
        guard manifest.dataset?.pack == nil else { return [] }
        var outputs: [String: [String]] = [:]
        for output in manifest.outputs { outputs[output.path.fixedFolder, default: []].append(output.name) }
        var warnings: [String] = []
        for (folder, names) in outputs.sorted(by: { $0.key < $1.key }) where !folder.isEmpty {
            guard let state = Self.state(of: folder, in: root) else { continue }
            if let sentence = try sentence(about: "\(root)/\(folder)", state, of: names) {
                warnings.append(sentence)
            }
        }
        return warnings
    }

    /// The sentence about a folder; nil if no output is recorded there.
    private func sentence(
        about path: String,
        _ state: String,
        of names: [String]
    ) throws(JobStoreError) -> String? {
        let count = try reader.fileCount(of: names)
        guard count > 0 else { return nil }
        let outputs = count == 1 ? "1 output is" : "\(count) outputs are"
        return """
            \(path) is \(state), although \(outputs) recorded there: put the folder back, or make the outputs again \
            with verify --repair
            """
    }

    /// "missing" or "empty"; nil for a folder with contents, and for one that cannot be examined.
    private static func state(of name: String, in path: String) -> String? {
        do throws(FileError) {
            return try Folder(path: path).folder(name).isEmpty ? "empty" : nil
        } catch {
            return error.isMissing ? "missing" : nil
        }
    }
}

extension OutputPath {
    /// The folder that the paths of all items begin with, relative to the destination; empty if there is none.
    fileprivate var fixedFolder: String {
        let fixed = description.prefix { $0 != "{" }
        return fixed.unicodeScalars.lastIndex(of: "/").map { String(fixed[..<$0]) } ?? ""
    }
}
