import Foundation
import JobPlanning

/// The complete request to a child process for one original; the child loads and writes no files.
struct RenderRequest: Codable, Sendable {
    /// The manifest's path, its text if that came from standard input, and the SHA-256 of the contents that the run read.
    let manifest: String
    let manifestText: Data?
    /// The manifest's files, if they are of another machine; nil for those of this one.
    let manifestFiles: [String: Data]?
    let manifestSHA256: String
    /// The limit on pixel memory in bytes, from the run's options.
    let memory: Int
    let item: Int64
    let source: Int
    /// The names of the outputs to render, and the digests of their recipes.
    let outputs: [String]
    let digests: [String]
    let facts: [String]
    /// The facts known about this original already, as the state file stores them.
    let knownFacts: String?
    let original: Data
    let originalSHA256: String
    let isFromNetwork: Bool
    let isLengthProven: Bool
    /// The watermark images at URLs: the files, by the URL as written.
    let watermarks: [String: Data]

    /// The original as the child uses it.
    var loaded: Original {
        Original(
            data: original,
            sha256: originalSHA256,
            source: isFromNetwork ? .network : .file,
            isLengthProven: isLengthProven
        )
    }
}

/// The reply of a child process.
enum RenderReply: Codable, Sendable {
    /// A result for each requested output, in order, and the facts.
    case made([RenderedOutput.Result], facts: String?)
    /// The original cannot be used.
    case failed(ItemError)
    /// The child cannot render the same outputs as the run, for this reason; for example, the manifest has changed.
    case unable(String)
}

extension Encodable {
    /// Returns a binary property list, which stores data without conversion to text.
    func propertyList() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(self)
    }
}
