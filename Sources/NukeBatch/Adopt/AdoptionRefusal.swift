/// The reason for which a file is not taken for an output.
public enum AdoptionRefusal: String, CaseIterable, Sendable, Encodable {
    /// The path needs something of the original.
    case path
    /// The output is a copy of the original, which only the original can confirm.
    case copy
    /// An earlier row, or another output, has the path.
    case collision
    /// The job has made the output before; the next run makes it again.
    case recorded
    /// Files of several formats are there.
    case ambiguous
    /// It is a link, a folder or a device.
    case notFile
    /// It has no bytes.
    case empty
    /// It is in another format, or no image.
    case format
    /// It has a size in pixels that the processors do not give.
    case size
    /// It is older than its original.
    case older
    /// It cannot be decoded as a whole.
    case damaged
    /// This build or its limits do not allow to look at it.
    case unreadable
}

/// A refusal with a sentence for people.
struct RefusedFile: Error, Sendable {
    let reason: AdoptionRefusal
    let message: String

    init(_ reason: AdoptionRefusal, _ message: String) {
        (self.reason, self.message) = (reason, message)
    }
}
