internal import CImageCodecs
internal import Foundation

/// A failure to read, process or write an image.
public struct ImagingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for callers to branch on.
    public enum Reason: String, Sendable {
        /// The first bytes match no known image format.
        case wrongType
        /// The data is damaged.
        case corrupt
        /// The data ends before the image does.
        case truncated
        /// The image exceeds a limit.
        case limits
        /// A valid image that this build does not read or write.
        case unsupported
        /// The parameters of an operation or encoder are out of range.
        case processing
        /// An allocation failed.
        case memory
        /// The codec is a plug-in of this program, or librsvg, that cannot be loaded.
        case plugIn
        /// The format is decoded only in a process that is confined: see `ImageLimits.allowsSVG`.
        case unconfined
    }

    /// The kind of failure.
    public let reason: Reason
    /// A sentence that says what went wrong and what to do.
    public let message: String
    /// True if the image may do in another format: its sides or its file are too large for this one.
    private(set) var isAboutFormat = false
    /// The message.
    public var description: String { message }

    /// Creates an error of a kind with its message.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The same error, as one of the format that was to be written.
    var aboutFormat: ImagingError {
        var error = self
        error.isAboutFormat = true
        return error
    }
}

/// The errors of each kind, with their message.
extension ImagingError {
    static func wrongType(_ message: String) -> Self { Self(.wrongType, message) }
    static func corrupt(_ message: String) -> Self { Self(.corrupt, message) }
    static func truncated(_ message: String) -> Self { Self(.truncated, message) }
    static func limits(_ message: String) -> Self { Self(.limits, message) }
    static func unsupported(_ message: String) -> Self { Self(.unsupported, message) }
    static func processing(_ message: String) -> Self { Self(.processing, message) }
    static func memory(_ message: String) -> Self { Self(.memory, message) }
    static func plugIn(_ message: String) -> Self { Self(.plugIn, message) }
    static func unconfined(_ message: String) -> Self { Self(.unconfined, message) }
}

extension ImagingError {
    /// The error for a status of the C codecs.
    ///
    /// `subject` begins the message: "The JPEG".
    init(_ status: nb_status, _ error: nb_error, subject: String) {
        let detail = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        switch status {
        case NB_CORRUPT:
            self = .corrupt("\(subject) is damaged: \(detail). Load it again, or replace it at its source.")
        case NB_TRUNCATED: self = .truncated("\(subject) is cut short: \(detail). Load it again.")
        case NB_LIMITS:
            self = .limits("\(subject) exceeds a limit: \(detail). Raise the limit if you trust the source.")
        case NB_UNSUPPORTED:
            self = .unsupported(
                "\(subject) is not supported: \(detail). Convert the file to a common variant of the format."
            )
        case NB_NO_PLUG_IN: self = .plugIn("\(subject) needs a plug-in of nuke-batch: \(detail).")
        case NB_MEMORY:
            self = .memory(
                "\(subject) needs more memory than is available. Lower the number of items in flight."
            )
        default: self = .processing("\(subject) could not be processed: \(detail).")
        }
    }

    static let noMemory = ImagingError.memory(
        "The pixels need more memory than is available. Lower the number of items in flight."
    )
}

/// Calls a function of the C codecs and throws the error that it reports.
///
/// - Returns: What the function passed over.
@discardableResult
func call(
    _ subject: String,
    _ body: (UnsafeMutablePointer<nb_error>) -> nb_status
) throws(ImagingError) -> Set<ImageWarning> {
    var error = nb_error()
    let status = body(&error)
    guard status == NB_OK else { throw ImagingError(status, error, subject: subject) }
    return ImageWarning.set(error.warnings)
}
