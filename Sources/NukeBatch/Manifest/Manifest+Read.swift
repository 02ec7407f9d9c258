import Files
import Foundation
import Glibc
import Imaging

/// From the file to a manifest, or to all that is wrong with it.
extension Manifest {
    /// Reads and checks a manifest, and that its lists with their columns and its folders are there.
    ///
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
        let limits = JSONParser.Limits()
        let text = try contents(of: path, limit: limits.size)
        // The parser and the positions of errors need the bytes in one place.
        let outcome = text.withUnsafeBytes { bytes in
            parse(
                bytes.bindMemory(to: UInt8.self),
                path: path,
                absolute: absolute,
                environment: environment,
                limits: limits
            )
        }
        return try outcome.get()
    }

    private static func contents(of path: String, limit: Int) throws(ManifestErrors) -> Data {
        func failure(_ message: String) -> ManifestErrors {
            ManifestErrors(
                errors: [ManifestError(file: path, line: nil, column: nil, path: "", message: message)]
            )
        }
        do {
            let stream = try FileStream(path: path, name: path)
            var text = Data()
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
            defer { buffer.deallocate() }
            while case let count = try stream.read(into: buffer), count > 0 {
                text.append(contentsOf: buffer[..<count])
                guard text.count <= limit else {
                    throw failure("is larger than \(limit) bytes: put the URLs into a list of their own")
                }
            }
            return text
        } catch let error as PlanningError {
            throw failure(error.message)
        } catch let error as ManifestErrors {
            throw error
        } catch {
            throw failure("\(error)")
        }
    }

    private static func parse(
        _ text: UnsafeBufferPointer<UInt8>,
        path: String,
        absolute: String,
        environment: [String: String],
        limits: JSONParser.Limits
    ) -> Result<Manifest, ManifestErrors> {
        let reading = ManifestReading(folder: FilePath.folder(of: absolute), environment: environment)
        var manifest: Manifest?
        do {
            let document = try JSONParser.parse(text, limits: limits)
            report(document.duplicateKeys, of: text, to: reading)
            let root = ManifestNode(value: document.root, path: .top, reading: reading)
            let sha256 = Digest.sha256.hex(of: Data(text))
            manifest = Manifest(
                root,
                path: path,
                absolute: absolute,
                sha256: sha256,
                environment: environment
            )
        } catch {
            reading.report(error.message, at: error.offset, path: .top)
        }
        guard let manifest, reading.issues.isEmpty else {
            return .failure(reading.errors(file: path, text: text))
        }
        return .success(manifest)
    }

    private static func report(
        _ duplicates: [JSONParser.DuplicateKey],
        of text: UnsafeBufferPointer<UInt8>,
        to reading: ManifestReading
    ) {
        let firsts = duplicates.map(\.firstOffset)
        let sorted = firsts.sorted()
        let places = Dictionary(
            zip(sorted, TextPosition.positions(of: sorted, in: text)),
            uniquingKeysWith: { first, _ in first }
        )
        for (duplicate, first) in zip(duplicates, firsts) {
            let place = places[first].map { " in line \($0.line), column \($0.column)" } ?? ""
            reading.report(
                "the key is here already\(place): remove one of them",
                at: duplicate.offset,
                path: duplicate.path
            )
        }
    }

    private init?(
        _ root: ManifestNode,
        path: String,
        absolute: String,
        sha256: String,
        environment: [String: String]
    ) {
        let reading = root.reading
        guard let fields = root.fields(.manifest) else { return nil }
        fields.require("sources")
        _ = fields["$schema"]?.string()
        if let node = fields["version"], let version = node.integer(0...1_000_000), version != 1 {
            node.report("version \(version) is not known to this release: it reads version 1")
        }
        // First, since processors must keep to it.
        limits = LimitSettings(fields["limits"])
        reading.maxDimension = limits.maxDimension
        reading.pictureLimits = ImageLimits(limits)
        name = fields["name"]?.string() ?? FilePath.stem(of: absolute)
        processors = Step.list(fields["processors"])
        let read = Self.sources(fields["sources"])
        sources = read.map(\.source)
        let checked = Output.list(fields["outputs"])
        outputs = checked.map(\.output)
        facts = Fact.list(fields["facts"])
        Self.checkVariables(of: checked, sources: read)
        let written = fields["destination"]?.string()
        let expanded = written == nil ? "out" : fields["destination"]?.expandedString() ?? "out"
        destination = written ?? "out"
        destinationPath = FilePath.absolute(expanded, in: reading.folder)
        if destination.isEmpty { fields["destination"]?.report("is empty: name a folder") }
        if expanded.lowercased().hasPrefix(NotSupportedYet.destinationPrefix) {
            fields["destination"]?.notSupported("a destination in S3")
        }
        cache = CacheSettings(fields["cache"], folder: reading.folder, environment: environment)
        loading = LoadingSettings(fields["loading"])
        retry = RetrySettings(fields["retry"])
        network = NetworkSettings(fields["network"], folder: reading.folder)
        for case .files(let glob) in sources.map(\.kind) where !network.fileRoots.contains(glob.root) {
            network.fileRoots.append(glob.root)
        }
        self.path = path
        folder = reading.folder
        self.sha256 = sha256
        reading.variables.forgetUnused()
        variables = reading.variables
    }
}
