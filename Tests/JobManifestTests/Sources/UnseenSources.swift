import JobFixtures
@testable import JobManifest
import TestSupport

/// Manifests whose lists, databases and folders nobody looks for.
struct UnseenSources: SourceInspecting {
    /// The columns that every list and database seems to have.
    var names: [String]?
    let folder: ManifestFolder

    init(names: [String]? = nil) throws {
        self.names = names
        folder = try ManifestFolder()
    }

    func columns(of source: Source) throws(SourceError) -> [String]? {
        if case .files(let files) = source.kind, files.root == "/none" {
            throw SourceError(files.root, "is not there")
        }
        return names
    }

    /// Reads a manifest of these sources.
    func read(_ sources: String, more: String = "", environment: [String: String] = [:]) throws -> Manifest {
        let path = try folder.folder.write(#"{"sources": [\#(sources)]\#(more)}"#, to: "job.json")
        return try Manifest.read(path: path, environment: environment, inspector: self)
    }

    /// The errors of a manifest of these sources, each as `path: message`.
    func errors(_ sources: String, more: String = "") throws -> [String] {
        do {
            _ = try read(sources, more: more)
            return []
        } catch let errors as ManifestErrors {
            return errors.errors.map { "\($0.path): \($0.message)" }
        }
    }

    func requireParquet() {}
}
