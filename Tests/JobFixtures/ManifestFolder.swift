package import JobManifest
import JobPlanning
package import TestSupport

/// A folder with a manifest and what it names.
package struct ManifestFolder {
    package let folder: TemporaryFolder

    /// Makes an empty folder.
    package init() throws {
        folder = try TemporaryFolder()
    }

    /// Writes `text` as the file `name` and reads it as a manifest.
    package func read(
        _ text: String,
        as name: String = "job.json",
        environment: [String: String] = [:]
    ) throws -> Manifest {
        try Manifest.read(path: try folder.write(text, to: name), environment: environment)
    }

    /// The errors in `text`, without the manifest's path: `12:5: outputs[0].format: …`.
    package func errors(
        _ text: String,
        as name: String = "job.json",
        environment: [String: String] = [:]
    ) throws -> [String] {
        let path = try folder.write(text, to: name)
        do {
            _ = try Manifest.read(path: path, environment: environment)
            return []
        } catch {
            return error.errors.map { $0.description.replacing(path + ":", with: "") }
        }
    }

    /// The items of the manifest that `text` is.
    package func items(_ text: String, environment: [String: String] = [:]) throws -> [PlannedItem] {
        let reader = ItemReader(try read(text, environment: environment))
        var items: [PlannedItem] = []
        try reader.forEach { items.append($0) }
        return items
    }
}
