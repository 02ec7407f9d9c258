import Foundation
import Imaging

/// From the file to a manifest, or to all that is wrong with it.
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
        let absolute = FilePath.absolute(path, in: FileManager.default.currentDirectoryPath)
        let shared = ManifestReading.Shared(environment: environment)
        let files: [ManifestFile]
        do {
            files = try ManifestFile.all(path, at: absolute, shared)
        } catch {
            throw ManifestErrors(
                errors: [ManifestError(file: path, line: nil, column: nil, path: "", message: error.message)]
            )
        }
        let manifest = ManifestFile.fields(of: files).map { fields in
            Manifest(
                fields,
                path: path,
                absolute: absolute,
                sha256: ManifestFile.sha256(of: files),
                environment: environment
            )
        }
        let errors = files.flatMap { $0.reading.errors }
        guard let manifest, errors.isEmpty else { throw ManifestErrors(errors: errors) }
        return manifest
    }

    private init(
        _ fields: Fields,
        path: String,
        absolute: String,
        sha256: String,
        environment: [String: String]
    ) {
        let reading = fields.owner.reading
        fields.require("sources")
        // First, since processors must keep to it.
        limits = LimitSettings(fields["limits"])
        reading.shared.maxDimension = limits.maxDimension
        reading.shared.pictureLimits = ImageLimits(limits)
        name = fields["name"]?.string() ?? FilePath.stem(of: absolute)
        processors = Step.list(fields["processors"])
        let read = Self.sources(fields["sources"])
        sources = read.map(\.source)
        let checked = Output.list(fields["outputs"])
        outputs = checked.map(\.output)
        facts = Fact.list(fields["facts"])
        dataset = DatasetSettings(fields["dataset"], of: outputs)
        Self.checkVariables(of: checked, sources: read)
        // Members of shards have names of their own: a changed path makes nothing anew.
        if dataset?.pack != nil {
            for (index, output) in outputs.enumerated() {
                outputs[index].path = OutputPath(
                    outputName: output.name,
                    fixedExtension: output.format.fixedExtension
                )
            }
        }
        let written = fields["destination"]?.string()
        let expanded = written == nil ? "out" : fields["destination"]?.expandedString() ?? "out"
        destination = written ?? "out"
        let destinationFolder = fields["destination"]?.reading.folder ?? reading.folder
        destinationPath = FilePath.absolute(expanded, in: destinationFolder)
        if destination.isEmpty { fields["destination"]?.report("is empty: name a folder") }
        if expanded.lowercased().hasPrefix(NotSupportedYet.destinationPrefix) {
            fields["destination"]?.notSupported("a destination in S3")
        }
        cache = CacheSettings(fields["cache"], environment: environment)
        loading = LoadingSettings(fields["loading"])
        retry = RetrySettings(fields["retry"])
        network = NetworkSettings(fields["network"], folder: reading.folder)
        for case .files(let glob) in sources.map(\.kind) where !network.fileRoots.contains(glob.root) {
            network.fileRoots.append(glob.root)
        }
        self.path = path
        folder = reading.folder
        self.sha256 = sha256
        reading.shared.variables.forgetUnused()
        variables = reading.shared.variables
    }
}
