public import JobManifest
import JobPlanning

/// The result of the look for one output of an item, or for one output of all items.
///
/// In JSON, all keys are always present (`docs/command-line.md`).
public struct AdoptionFinding: Sendable, Encodable {
    /// The kinds of results.
    public enum Result: String, Sendable, Encodable {
        /// The file is taken for the output.
        case adopted
        /// No file is at the path.
        case missing
        /// The file is not taken for the output.
        case refused
    }

    /// The URL of the item as given; nil for a refusal that concerns all items.
    @Nullable public private(set) var url: String?
    /// The name of the output.
    public let name: String
    /// The path relative to the destination; nil if it is not known.
    @Nullable public private(set) var path: String?
    /// The kind of result.
    public let result: Result
    /// The reason of a refusal.
    @Nullable public private(set) var reason: AdoptionRefusal?
    /// A sentence about that.
    @Nullable public private(set) var message: String?

    /// The finding as a line of text.
    public var text: String {
        let place = [path, url].compactMap(\.self).first ?? "output \(name)"
        let details = [reason?.rawValue, message].compactMap(\.self)
        return (["\(result)  \(place)"] + details).joined(separator: "  ")
    }

    init(url: String?, name: String, path: String?, _ result: Result, _ refusal: RefusedFile? = nil) {
        (self.name, self.result) = (name, result)
        self.url = url.map { ItemListing.withoutUser($0) }
        self.path = path
        (reason, message) = (refusal?.reason, refusal?.message)
    }
}
