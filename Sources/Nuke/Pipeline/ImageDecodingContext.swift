public import Foundation
public import FoundationNetworking

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

extension ImageDecoders.Default {
    /// Creates a decoder for a request and its previews; never nil, since the data so far may be
    /// too short to identify the format.
    public convenience init?(context: ImageDecodingContext) {
        let request = context.isFinal ? nil : context.request
        self.init(
            thumbnail: request?.thumbnail,
            processor: request?.processors.first,
            previewSource: PreviewSource(context.previewPolicy)
        )
    }
}

extension ImageDecoders.Default.PreviewSource {
    /// The source of the previews that a policy asks for.
    fileprivate init(_ policy: ImagePipeline.PreviewPolicy) {
        self =
            switch policy {
            case .incremental: .dataSoFar
            case .thumbnail: .embeddedThumbnail
            case .disabled: .none
            }
    }
}
