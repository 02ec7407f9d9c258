import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// URLs by which the originals and the outputs of a job that are in buckets can be opened in a browser, without credentials.
struct ObjectLinks {
    /// The time for which a URL is valid, in seconds.
    static let seconds = 3600

    private let service: S3Service
    private let manifest: Manifest

    /// Creates the links of a job.
    /// - Throws: `RunError.wrongInput` for an endpoint that is no address.
    init(_ manifest: Manifest) throws(RunError) {
        (self.manifest, service) = (manifest, try manifest.storageService())
    }

    /// Adds the links of an item that can be opened; the paths in `missing` cannot.
    /// - Throws: `RunError.wrongInput` without credentials.
    func add(to explanation: inout ItemExplanation, _ life: ItemLife, missing: Set<String>)
        async throws(RunError)
    {
        if let location = ObjectLocation(manifest.target(of: life.item.url)) {
            let version = [String: String](json: life.item.headersJSON)[ItemURL.versionHeader]
            let query = version.map { [("versionId", Optional($0))] } ?? []
            explanation.original.link = try await link(S3Request("GET", location, query: query))
        }
        guard let root = manifest.destination.bucket else { return }
        for (index, output) in explanation.outputs.enumerated() where output.state == "done" {
            guard let path = output.path, !missing.contains(path) else { continue }
            let isMember = life.outputs.contains { $0.result.path == path && $0.result.shardOffset != nil }
            let key = isMember ? Shard.file(ofMember: path) : path
            explanation.outputs[index].link = try await link(S3Request("GET", root.appending(key)))
        }
    }

    private func link(_ request: S3Request) async throws(RunError) -> String {
        do throws(CredentialError) {
            return try await service.presignedURL(of: request, seconds: Self.seconds)
        } catch {
            throw .wrongInput("cannot sign a link to \(request.location): \(error)")
        }
    }
}
