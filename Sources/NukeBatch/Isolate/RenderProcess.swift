import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning

/// The sandbox: a child process that renders an image that may have crashed a run.
///
/// It starts in a `Sandbox`, reads one request from its standard input, renders the outputs, and replies on its standard
/// output; both are files in memory. Before it reads the image, it limits its memory and time and, as far as the kernel
/// can, gives up files, other programs and all system calls that it does not need.
public struct RenderProcess: Sendable {
    /// The memory that a child may use besides the pixels, in bytes: code, stacks, originals and outputs.
    private static let margin = 512 << 20

    /// The folders that describe the fonts of drawings, which are below /usr themselves.
    private static let fonts = ["/etc/fonts", "/var/cache/fontconfig"]

    /// The most memory that a child may use for images that take `bytes`, and the most bytes that it may write.
    static func addressSpace(for bytes: Int) -> Int {
        bytes.addingClamping(margin)
    }

    private let request: RenderRequest
    private let manifest: Manifest
    private let journal: InFlightJournal
    private let output: MemoryFile
    private let confinement: Confinement

    /// Reads the request and the manifest and confines this process, which must still have a single thread.
    ///
    /// `environment` has the values of the manifest's variables.
    /// - Throws: `FileError`, `DecodingError` or `ManifestErrors` if this is not the child process of a run.
    public init(environment: [String: String]) throws {
        output = try MemoryFile(duplicating: STDOUT_FILENO)
        journal = try InFlightJournal(output)
        let bytes = try MemoryFile(duplicating: STDIN_FILENO).read()
        request = try PropertyListDecoder().decode(RenderRequest.self, from: bytes)
        // The originals are in the cache, wherever their rows came from.
        var manifest = try Manifest.readRecorded(
            path: request.manifest,
            text: request.manifestText,
            files: request.manifestFiles,
            environment: environment
        )
        manifest.limits.memory = request.memory
        self.manifest = manifest
        // Their folder cannot be read afterwards. One that is missing is told of if the image needs it.
        let isDrawing = ImageFormat(request.original) == .svg
        for plugIn in CodecPlugIn.allCases where plugIn != .svg || isDrawing { try? plugIn.load() }
        confinement = try Confinement(reading: isDrawing ? Self.fonts : [])
        confinement.limit(bytes: Self.addressSpace(for: request.memory), seconds: Watchdog.seconds(for: 0))
    }

    /// Renders the requested outputs and writes the reply.
    /// - Throws: `FileError` if the reply cannot be written.
    public func answer() async throws {
        let reply: RenderReply
        do {
            reply = try await make()
        } catch {
            reply = .failed(ItemError(error))
        }
        try output.write(try reply.propertyList(), at: InFlightJournal.oneSlotSize)
    }

    private func make() async throws -> RenderReply {
        guard manifest.sha256 == request.manifestSHA256 else { return .unable("the manifest has changed") }
        var watermarks: [WatermarkImage: Image] = [:]
        for watermark in manifest.watermarks {
            guard case .url(let url) = watermark.source, let data = request.watermarks[url] else { continue }
            watermarks[watermark] = try ImageDecoder.decode(data, limits: ImageLimits(manifest.limits))
        }
        let recipes = try Recipe.all(of: manifest, showing: watermarks)
        guard recipes.indices.contains(request.source) else { return .unable("a source is missing") }
        let wanted = request.outputs.compactMap { name in
            recipes[request.source].first { $0.output.name == name }
        }
        guard wanted.map(\.digest) == request.digests else { return .unable("an output has changed") }
        let facts = FactExtractor(
            request.facts.compactMap(Fact.init),
            recorded: ItemFacts(json: request.knownFacts)
        )
        let plan = OutputPlan(recipes: wanted, facts: facts)
        let rendering = try await renderer.render(plan, from: request.loaded, of: request.item)
        return .made(rendering.outputs.map(\.result), facts: rendering.facts?.json)
    }

    private var renderer: Renderer {
        var limits = ImageLimits(manifest.limits)
        limits.allowsSVG = true
        let cores = manifest.limits.processing
        let confinement = confinement
        return Renderer(
            admission: Admission(memory: manifest.limits.memory, slots: cores),
            memory: manifest.limits.memory,
            reading: WorkQueue(name: "headers", width: 1),
            decoding: WorkQueue(name: "decode", width: 1),
            processing: WorkQueue(name: "process", width: cores),
            encoding: WorkQueue(name: "encode", width: 1),
            limits: limits,
            journal: journal,
            // The kernel's limits replace it.
            watchdog: nil
        ) { bytes, seconds in
            confinement.limit(bytes: Self.addressSpace(for: bytes), seconds: seconds)
        }
    }
}
