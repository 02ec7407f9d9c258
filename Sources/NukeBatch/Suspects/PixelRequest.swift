import Foundation
import Imaging

/// What a child process is asked to make of one original: all of it, as the child loads nothing and writes nothing.
struct PixelRequest: Codable, Sendable {
    /// The manifest's file and the SHA-256 of what was read of it.
    let manifest: String
    let manifestSHA256: String
    /// Bytes of pixels at once, as the run's options have it.
    let memory: Int
    let item: Int64
    let source: Int
    /// The outputs to make, and what shapes their bytes.
    let outputs: [String]
    let digests: [String]
    let facts: [String]
    /// What is known about this original already, as the state has it.
    let knownFacts: String?
    let original: Data
    let originalSHA256: String
    let isFromNetwork: Bool
    let isLengthProven: Bool
    /// The pictures of processors that stand at URLs: the files, by the URL as written.
    let pictures: [String: Data]

    /// The original as the child has it.
    var loaded: Original {
        Original(
            data: original,
            sha256: originalSHA256,
            source: isFromNetwork ? .network : .file,
            cacheKey: nil,
            status: nil,
            isLengthProven: isLengthProven,
            robots: nil,
            stored: {}
        )
    }
}

/// What a child process made of it.
enum PixelReply: Codable, Sendable {
    /// A result for each output that was asked for, in their order, and the facts.
    case made([Result], facts: String?)
    /// The original cannot be used.
    case failed(ItemError)
    /// The child cannot do the same as the run would, for this reason: the manifest has changed.
    case unable(String)

    /// As `Picture.Result`.
    enum Result: Codable, Sendable {
        case encoded(Data, sha256: String, width: Int, height: Int, fileExtension: String, encoder: String?)
        case skipped(String)
        case failed(ItemError)
    }
}

extension PixelReply.Result {
    init(_ result: Picture.Result) {
        switch result {
        case .encoded(let picture):
            self = .encoded(
                picture.data,
                sha256: picture.sha256,
                width: picture.size.width,
                height: picture.size.height,
                fileExtension: picture.fileExtension,
                encoder: picture.encoder
            )
        case .skipped(let reason): self = .skipped(reason)
        case .failed(let error): self = .failed(error)
        }
    }

    /// What it says, for the run.
    var result: Picture.Result {
        switch self {
        case .encoded(let data, let sha256, let width, let height, let fileExtension, let encoder):
            .encoded(
                Picture.Encoded(
                    data: data,
                    sha256: sha256,
                    size: PixelSize(width: width, height: height),
                    fileExtension: fileExtension,
                    encoder: encoder
                )
            )
        case .skipped(let reason): .skipped(reason)
        case .failed(let error): .failed(error)
        }
    }
}

extension Encodable {
    /// A binary property list, in which bytes are bytes.
    func propertyList() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(self)
    }
}
