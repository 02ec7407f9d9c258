public import Foundation

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
