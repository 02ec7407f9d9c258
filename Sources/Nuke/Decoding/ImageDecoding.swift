public import Foundation
public import FoundationNetworking

/// Makes images of data.
///
/// One decoder serves one image: its calls come one at a time, from any thread.
public protocol ImageDecoding: Sendable {
    /// Whether it is called on the decoding queue; else where the pipeline keeps its books, which it must not hold up.
    var isAsynchronous: Bool { get }

    /// The image of complete data.
    ///
    /// - Throws: why the data is none.
    func decode(_ data: Data) throws -> ImageContainer

    /// A preview of what has come so far, from the first byte on; nil if there is nothing new to show.
    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
    /// On the decoding queue.
    public var isAsynchronous: Bool { true }

    /// No previews.
    public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}

/// A decoder's failure that has nothing more to say.
public enum ImageDecodingError: Error, CustomStringConvertible, Sendable {
    /// The data is no image, or is damaged.
    case unknown

    /// The word.
    public var description: String { "Unknown" }
}

/// What a decoder is chosen by.
public struct ImageDecodingContext: Sendable {
    /// The request.
    public var request: ImageRequest
    /// All data that has come.
    public var data: Data
    /// Whether that is the whole file.
    public var isCompleted: Bool
    /// The response that the data came with; nil if it was not loaded now.
    public var urlResponse: URLResponse?
    /// The cache that the data came from; nil if it was loaded now.
    public var cacheType: ImageResponse.CacheType?
    /// Which previews are wanted of data that is not complete.
    public var previewPolicy: ImagePipeline.PreviewPolicy = .incremental
    /// Whether the data is what the request's processors or thumbnail made: it is not made smaller once more.
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
