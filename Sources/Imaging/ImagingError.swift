internal import CImageCodecs

/// Why an image could not be read, changed or written.
public struct ImagingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure: what a caller decides by.
    public enum Reason: String, Sendable {
        /// The bytes are no image that is known by its first bytes.
        case wrongType
        /// The bytes are damaged.
        case corrupt
        /// The bytes end before the image does.
        case truncated
        /// The image is larger than allowed.
        case limits
        /// A valid image of a kind that is not read or written.
        case unsupported
        /// An operation or encoder was asked for what it cannot do.
        case processing
        /// Memory could not be had.
        case memory
    }

    /// The kind of the failure.
    public let reason: Reason
    /// A sentence: what went wrong, and what to do about it.
    public let message: String
    /// The message.
    public var description: String { message }

    /// An error of a kind, in words.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension ImagingError {
    /// The error for a status of the C codecs; `subject` is what the sentence is about, "The JPEG".
    init(_ status: nb_status, _ error: nb_error, subject: String) {
        let detail = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        switch status {
        case NB_CORRUPT:
            self.init(
                .corrupt,
                "\(subject) is damaged: \(detail). Load it again, or replace it at its source."
            )
        case NB_TRUNCATED:
            self.init(.truncated, "\(subject) is cut short: \(detail). Load it again.")
        case NB_LIMITS:
            self.init(
                .limits,
                "\(subject) passes a limit: \(detail). Raise the limit if you trust the source."
            )
        case NB_UNSUPPORTED:
            self.init(
                .unsupported,
                "\(subject) is not supported: \(detail). Convert it to a common form first."
            )
        case NB_MEMORY:
            self.init(.memory, "\(subject) needs more memory than there is. Lower the work in flight.")
        default:
            self.init(.processing, "\(subject) could not be processed: \(detail).")
        }
    }

    static let noMemory = ImagingError(
        .memory,
        "The pixels need more memory than there is. Lower the work in flight."
    )
}

/// Runs one function of the C codecs and throws what it reports.
func call(
    _ subject: String,
    _ body: (UnsafeMutablePointer<nb_error>) -> nb_status
) throws(ImagingError) {
    var error = nb_error()
    let status = body(&error)
    guard status == NB_OK else { throw ImagingError(status, error, subject: subject) }
}
