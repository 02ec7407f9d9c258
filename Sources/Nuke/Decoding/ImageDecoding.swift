public import Foundation
public import FoundationNetworking

/// Decodes images.
///
/// One decoder serves one image: it is called from any thread, but never concurrently.
public protocol ImageDecoding: Sendable {
    /// True if it runs on the decoding queue; otherwise it runs in the pipeline's serial domain and must be quick.
    var isAsynchronous: Bool { get }

    /// Returns the image of complete data.
    ///
    /// - Throws: The cause of a failure.
    func decode(_ data: Data) throws -> ImageContainer

    /// Returns a preview of the data so far, from the first byte on; nil if there is nothing new to show.
    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
    /// True: decoding runs on the decoding queue.
    public var isAsynchronous: Bool { true }

    /// Nil: no previews.
    public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}

/// A decoder's failure without details.
public enum ImageDecodingError: Error, CustomStringConvertible, Sendable {
    /// The data is not an image, or is damaged.
    case unknown

    /// The name of the case.
    public var description: String { "Unknown" }
}

/// The facts by which a decoder is chosen.
public struct ImageDecodingContext: Sendable {
    /// The request.
    public var request: ImageRequest
    /// All data so far.
    public var data: Data
    /// True if that is the whole file.
    public var isCompleted: Bool
    /// The response that the data came with; nil if it was not loaded now.
    public var urlResponse: URLResponse?
    /// The cache that the data came from; nil if it was loaded now.
    public var cacheType: ImageResponse.CacheType?
    /// The wanted previews of incomplete data.
    public var previewPolicy: ImagePipeline.PreviewPolicy = .incremental
    /// True if the data is the output of the request's processors or thumbnail: it is not made smaller again.
    var isFinal = false

    /// A context.
    public init(
        request: ImageRequest,
        data: Data,
        isCompleted: Bool = true,
        urlResponse: URLResponse? = nil,
        cacheType: ImageResponse.CacheType? = nil
    ) {
        self.request = request
        self.data = data
        self.isCompleted = isCompleted
        self.urlResponse = urlResponse
        self.cacheType = cacheType
    }
}
