import Foundation

extension ImagePipeline {
    /// An error of a request.
    public enum Error: Swift.Error, CustomStringConvertible, Sendable {
        /// No cache has the data, and the request must not load it.
        case dataMissingInCache
        /// The data could not be loaded.
        case dataLoadingFailed(error: any Swift.Error)
        /// The load succeeded without data.
        case dataIsEmpty
        /// No decoder accepts the data.
        case decoderNotRegistered(context: ImageDecodingContext)
        /// The decoder could not decode the data.
        case decodingFailed(decoder: any ImageDecoding, context: ImageDecodingContext, error: any Swift.Error)
        /// The processor could not change the image.
        case processingFailed(
            processor: any ImageProcessing,
            context: ImageProcessingContext,
            error: any Swift.Error
        )
        /// There is no request; for views that display images.
        case imageRequestMissing
        /// The pipeline was invalidated before the request was made.
        case pipelineInvalidated
        /// The response has more bytes than `maximumResponseDataSize`.
        case dataDownloadExceededMaximumSize
        /// The request was cancelled.
        case cancelled

        /// The error of the data loader, if it is the cause.
        public var dataLoadingError: (any Swift.Error)? {
            if case .dataLoadingFailed(let error) = self { error } else { nil }
        }

        /// One sentence, and a second one with the cause if that is known.
        public var description: String {
            switch self {
            case .dataMissingInCache: "Failed to load data from cache and download is disabled."
            case .dataLoadingFailed(let error): "Failed to load image data. Underlying error: \(error)."
            case .dataIsEmpty: "Data loader returned empty data."
            case .decoderNotRegistered: "No decoders registered for the downloaded data."
            case .decodingFailed(let decoder, _, let error):
                "Failed to decode image data using decoder \(decoder)." + Self.cause(error)
            case .processingFailed(let processor, _, let error):
                "Failed to process the image using processor \(processor)." + Self.cause(error)
            case .imageRequestMissing: "Load image method was called with no image request or no URL."
            case .pipelineInvalidated: "Image pipeline is invalidated and no requests can be made."
            case .dataDownloadExceededMaximumSize: "The downloaded data exceeded the maximum allowed size."
            case .cancelled: "The image task was cancelled."
            }
        }

        /// Returns the sentence that names a cause; nothing for the library's own errors, which know of none.
        private static func cause(_ error: any Swift.Error) -> String {
            error is ImageDecodingError || error is ImageProcessingError
                ? "" : " Underlying error: \(error)."
        }

        /// Creates the pipeline's error for a failed load; the pipeline's own errors stay as they are.
        init(loading error: any Swift.Error) {
            self =
                switch error {
                case let error as Error: error
                case is CancellationError, FetchError.cancelled: .cancelled
                case FetchError.notCached: .dataMissingInCache
                case FetchError.empty: .dataIsEmpty
                case FetchError.tooLarge: .dataDownloadExceededMaximumSize
                default: .dataLoadingFailed(error: error)
                }
        }
    }
}
