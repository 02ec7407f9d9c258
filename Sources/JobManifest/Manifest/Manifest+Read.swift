package import Foundation
import Glibc
import Imaging

/// Reading of a manifest's file.
extension Manifest {
    /// Reads and checks a manifest; `inspector` looks at what its sources name.
    ///
    /// `text` is that of a manifest which has been read before, or of one whose file need not exist. A file in `files`,
    /// which are those of an earlier reading, takes the place of one of this machine: the manifest's own, those that it
    /// includes, and images of watermarks. With them no file of this machine is opened.
    /// - Throws: every error at once, each with its line, column and remedy.
    package static func read(
        path: String,
        text: Data? = nil,
        files: [String: Data]? = nil,
        environment: [String: String],
        inspector: any SourceInspecting
    ) throws(ManifestErrors) -> Manifest {
        let folder = FileManager.default.currentDirectoryPath
        let origin = Origin(path, in: folder)
        let files = ManifestFiles(files)
        if text == nil, case .file(_, let absolute) = origin, !files.areGiven {
            var status = stat()
            // Any other problem, such as a folder that may not be entered, is told when the file is opened.
            if path.isEmpty || stat(absolute, &status) != 0 && [ENOENT, ENOTDIR].contains(errno) {
                throw ManifestErrors(missing: path, at: absolute, from: folder)
            }
        }
        let shared = ManifestReading.Shared(
            environment: environment,
            files: files,
            objectWithKey: ManifestSection.article(ofObjectWithKey:)
        )
        let bytes: Data
        do {
            bytes = if let text { text } else { try ManifestFile.contents(of: origin, shared) }
        } catch {
            throw ManifestErrors(error.message, in: origin.name)
        }
        return try read(
            bytes,
            path: path,
            origin,
            sharing: shared,
            environment: environment,
            inspector: inspector
        )
    }

    /// Reads and checks the manifest that a program has built as the value of its file; null members are left out.
    ///
    /// - Throws: every error at once, each with its JSON path and remedy.
    package static func read(
        built json: CanonicalJSON,
        environment: [String: String],
        inspector: any SourceInspecting
    ) throws(ManifestErrors) -> Manifest {
        let text = Data(json.withoutNulls.text.utf8)
        return try read(
            text,
            path: standardInput,
            .code(text),
            sharing: ManifestReading.Shared(
                environment: environment,
                objectWithKey: ManifestSection.article(ofObjectWithKey:)
            ),
            environment: environment,
            inspector: inspector
        )
    }

    private static func read(
        _ bytes: Data,
        path: String,
        _ origin: Origin,
        sharing shared: ManifestReading.Shared,
        environment: [String: String],
        inspector: any SourceInspecting
    ) throws(ManifestErrors) -> Manifest {
        shared.files.note(bytes, of: origin.path)
        shared.readsStandardInput = origin.isStandardInput
        let files = ManifestFile.all(origin, text: bytes, shared)
        let manifest = ManifestFile.fields(of: files).map { fields in
            Manifest(
                fields,
                path: path,
                origin,
                text: origin.isFile ? nil : bytes,
                sha256: ManifestFile.sha256(of: files),
                environment: environment,
                inspector: inspector
            )
        }
        let errors = files.flatMap { $0.reading.errors }
        guard let manifest, errors.isEmpty else { throw ManifestErrors(errors: origin.placed(errors)) }
        return manifest
    }

    private init(
        _ fields: Fields,
        path: String,
        _ origin: Origin,
        text: Data?,
        sha256: String,
        environment: [String: String],
        inspector: any SourceInspecting
    ) {
        let reading = fields.owner.reading
        fields.require(anyOf: ManifestKeys.sources.name)
        // First, since processors must keep to it.
        limits = LimitSettings(fields[ManifestKeys.limits])
        reading.shared.imageLimits = ImageLimits(limits)
        name = fields[ManifestKeys.name] ?? FilePath.stem(of: origin.path)
        processors = Step.list(fields[ManifestKeys.processors])
        let read = Self.sources(fields[ManifestKeys.sources], inspector: inspector)
        sources = read.map(\.source)
        let checked = Output.list(fields[ManifestKeys.outputs])
        outputs = checked.flatMap(\.outputs)
        facts = Fact.list(fields[ManifestKeys.facts])
        dataset = DatasetSettings(fields[ManifestKeys.dataset], of: outputs, facts: facts, from: read)
        if let condition = dataset?.condition {
            for index in outputs.indices { outputs[index].condition.add(condition) }
        }
        if dataset?.needsParquet == true {
            do {
                try inspector.requireParquet()
            } catch {
                fields[ManifestKeys.dataset]?.report(error.message)
            }
        }
        markups = checked.compactMap(\.markup?.markup)
        // The placeholders of markup come with the other facts about the originals.
        if !markups.isEmpty, !facts.contains(.placeholder) { facts.append(.placeholder) }
        Markup.check(checked, with: dataset)
        let common = processors + sources.flatMap(\.processors)
        Output.checkAnimations(checked) { common + $0.processors }
        Self.checkVariables(of: checked, sources: read)
        warnings = Self.warnings(of: checked, sources: read)
        // Members of shards have their own names, so a changed path remakes nothing.
        if dataset?.pack != nil {
            for (index, output) in outputs.enumerated() {
                outputs[index].path = OutputPath(
                    outputName: output.name,
                    fixedExtension: output.format.fixedExtension
                )
            }
        }
        let standard = ManifestKeys.destination.standard
        let written = fields[ManifestKeys.destination]
        let expanded =
            written == nil ? standard : fields.node(ManifestKeys.destination)?.expandedString() ?? standard
        destinationText = written ?? standard
        destination = Self.destination(expanded, fields)
        if destinationText.isEmpty {
            fields.node(ManifestKeys.destination)?.report("is empty: name a folder")
        }
        Output.checkObjects(checked, in: destination, isPacked: dataset?.pack != nil)
        statePath = Self.statePath(fields)
        if let node = fields.node(ManifestKeys.items), let written = node.expandedString() {
            let path = FilePath.absolute(written, in: node.reading.folder)
            plannedItems = [PlannedItemFile(path: path, name: written, items: nil, sha256: nil)]
        }
        partitionItems = fields[ManifestKeys.partitionItems]
        cache = CacheSettings(fields[ManifestKeys.cache], environment: environment)
        loading = LoadingSettings(fields[ManifestKeys.loading])
        retry = RetrySettings(fields[ManifestKeys.retry])
        network = NetworkSettings(fields[ManifestKeys.network], folder: reading.folder)
        storage = StorageSettings(fields[ManifestKeys.storage])
        for case .files(let files) in sources.map(\.kind) {
            for glob in files.globs where !network.fileRoots.contains(glob.root) {
                network.fileRoots.append(glob.root)
            }
        }
        self.path = path
        shownPath = origin.name
        self.text = text
        folder = reading.folder
        self.sha256 = sha256
        reading.shared.variables.forgetUnused()
        variables = reading.shared.variables
        files = reading.shared.files.used
        isFromFiles = reading.shared.files.areGiven
    }

    /// The destination that a text names, from the folder of the file that has it.
    private static func destination(_ text: String, _ fields: Fields) -> Destination {
        let node = fields.node(ManifestKeys.destination)
        let folder = node?.reading.folder ?? fields.owner.reading.folder
        do throws(TextError) {
            return try Destination(text, in: folder)
        } catch {
            node?.report(error.description)
            return .folder(folder)
        }
    }

    /// The absolute path of the state, from the folder of the file that names it.
    private static func statePath(_ fields: Fields) -> String? {
        guard let node = fields.node(ManifestKeys.state), let path = node.expandedString() else { return nil }
        if path.isEmpty || path.hasSuffix("/") {
            node.report("should name a file, such as \"states/job.sqlite\"")
        }
        if path.contains("://") { node.report("should be a file of this machine, not a URL") }
        return FilePath.absolute(path, in: node.reading.folder)
    }
}

extension ManifestErrors {
    /// The error of a manifest's path that leads to no file.
    fileprivate init(missing path: String, at absolute: String, from folder: String) {
        let found = [".json", ".yaml", ".yml"].first { FileManager.default.fileExists(atPath: absolute + $0) }
        let remedy =
            found.map { "did you mean \(path)\($0)?" }
            ?? "relative paths start at the working directory, \(folder)"
        let message =
            path.isEmpty ? "the path of the manifest is empty" : "there is no such manifest; \(remedy)"
        self.init(message, in: path)
    }
}
