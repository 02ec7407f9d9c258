import Foundation
package import ObjectStorage

/// The text by which a change of a listed object is noticed: its size and its entity tag, or its time without one.
package enum ObjectValidator {
    /// Returns the text for the facts of a listing.
    package static func text(of facts: ObjectFacts) -> String {
        if let etag = facts.etag.map(bare), !etag.isEmpty { return "\(facts.size) \(etag)" }
        return facts.modified.map { "\(facts.size)@\($0.timeIntervalSince1970)" } ?? "\(facts.size)"
    }

    /// Returns true if `etag`, from the head of an answer, is that of a text; nil if one of the two is not known.
    package static func isCurrent(_ etag: String?, by text: String) -> Bool? {
        guard let etag, let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        return text.utf8[text.utf8.index(after: space)...].elementsEqual(bare(etag).utf8)
    }

    /// The tag without its quotes, which some stores omit in listings, and without the mark of a proxy that has compressed
    /// something (RFC 9110, section 8.8.1).
    private static func bare(_ etag: String) -> String {
        String(etag.trimmingPrefix("W/")).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    }
}
