import Files
import Foundation
import Imaging
import Nuke

/// The child process in which an image is tried that may have ended a run: it reads one request from its standard
/// input, makes the pictures, and answers on its standard output, both of them files in memory.
///
/// Before it touches the image it takes from itself all files, the network and what memory and time the image does not need.
public struct PixelsChild: Sendable {
    /// What a child may have beside the pixels: code, stacks, the bytes of originals and outputs.
    private static let margin = 512 << 20

    private let request: PixelRequest
    private let manifest: Manifest
    private let box: BlackBox
    private let output: MemoryFile
    private let confinement: Confinement

    /// Reads the request and the manifest and confines this process, which must have one thread yet.
    ///
    /// `environment` is what the manifest's variables are taken from.
    /// - Throws: `FileError`, `DecodingError` or `ManifestErrors` where this is no child of a run.
    public init(environment: [String: String]) throws {
        try Confinement.endWithParent()
        output = try MemoryFile(duplicating: STDOUT_FILENO)
        box = try BlackBox(output)
        let bytes = try MemoryFile(duplicating: STDIN_FILENO).read()
        request = try PropertyListDecoder().decode(PixelRequest.self, from: bytes)
        var manifest = try Manifest.read(path: request.manifest, environment: environment)
        manifest.limits.memory = request.memory
        self.manifest = manifest
        confinement = try Confinement()
        confinement.limit(bytes: request.memory + Self.margin, seconds: Watchdog.seconds(for: 0))
    }

    /// Makes what is asked for and writes the answer.
    /// - Throws: `FileError` where it cannot be written.
    public func answer() async throws {
        let reply: PixelReply
        do {
            reply = try await make()
        } catch {
            reply = .failed(ItemError(error))
        }
        try output.write(try reply.propertyList(), at: BlackBox.oneSlotSize)
    }

    private func make() async throws -> PixelReply {
        guard manifest.sha256 == request.manifestSHA256 else { return .unable("the manifest has changed") }
        var pictures: [ManifestPicture: Image] = [:]
        for picture in manifest.pictures {
            guard case .url(let url) = picture.source, let data = request.pictures[url] else { continue }
            pictures[picture] = try ImageDecoder.decode(data, limits: ImageLimits(manifest.limits))
        }
        let recipes = try Recipe.all(of: manifest, showing: pictures)
        guard recipes.indices.contains(request.source) else { return .unable("a source is not there") }
        let wanted = request.outputs.compactMap { name in
            recipes[request.source].first { $0.output.name == name }
        }
        guard wanted.map(\.digest) == request.digests else { return .unable("an output has changed") }
        let search = FactSearch(
            request.facts.compactMap(Fact.init),
            recorded: ItemFacts(json: request.knownFacts)
        )
        let made = try await work.make(wanted, search, from: request.loaded, of: request.item)
        return .made(made.pictures.map { PixelReply.Result($0.result) }, facts: made.facts?.json)
    }

    private var work: PixelWork {
        let cores = manifest.limits.processing
        let (confinement, margin) = (confinement, Self.margin)
        return PixelWork(
            admission: Admission(memory: manifest.limits.memory, places: cores),
            decoding: WorkQueue(name: "decode", width: 1),
            processing: WorkQueue(name: "process", width: cores),
            encoding: WorkQueue(name: "encode", width: 1),
            limits: ImageLimits(manifest.limits),
            box: box,
            // The kernel's limits stand for it.
            watchdog: nil
        ) { bytes in
            confinement.limit(bytes: bytes.addingClamping(margin), seconds: Watchdog.seconds(for: bytes))
        }
    }
}
