import Files
import Foundation
public import JobManifest
package import JobStorage
import Originals

/// An item as the command line shows it: `items --json` and the event `item_finished`.
///
/// All keys are always present, null if unknown (`docs/command-line.md`).
public struct ItemListing: Sendable, Encodable, CustomStringConvertible {
    /// An output of an item.
    public struct Output: Sendable, Encodable {
        /// Its name in the manifest.
        public let name: String
        /// Relative to the destination.
        @Nullable public package(set) var path: String?
        /// `done`, `skipped` or `failed`.
        public let state: String
        /// The reason that it was skipped or failed.
        @Nullable public package(set) var reason: String?
        /// The file's length in bytes.
        @Nullable public package(set) var bytes: Int?
        /// The width or height in pixels.
        @Nullable public package(set) var width: Int?
        /// The width or height in pixels.
        @Nullable public package(set) var height: Int?
        /// SHA-256 of the file in hexadecimal.
        @Nullable public package(set) var sha256: String?
        /// The file format, such as `webp`.
        @Nullable public package(set) var format: String?
        /// The quality in the format's own numbers.
        @Nullable public package(set) var quality: Int?
        /// The score of SSIMULACRA2 of an output with a floor, at most 100.
        @Nullable public package(set) var ssimulacra2: Double?
        /// The reason why the score is below the floor: `quality` or `maxBytes`.
        @Nullable public package(set) var shortfall: String?

        init(_ output: OutputRecord) {
            name = output.name
            path = output.path
            state = output.state.rawValue
            reason = output.reason
            bytes = output.bytes
            width = output.width
            height = output.height
            sha256 = output.sha256
            format = output.format
            quality = output.quality
            ssimulacra2 = output.ssimulacra2
            shortfall = output.shortfall?.rawValue
        }
    }

    /// The earlier item that has the same original as an item, or nearly.
    public struct Twin: Sendable, Encodable {
        /// The position in the manifest, over all sources, from 1.
        public let index: Int
        /// As given, without a user and password.
        public let url: String
        /// The row that lists it, such as `urls.txt:17`.
        public let location: String
        /// The number of bits, 0 to 256, in which the perceptual hashes differ; 0 for equal bytes.
        public let distance: Int

        /// The sentence about an item that has this twin.
        package var sentence: String {
            let near = distance > 0 ? ", whose hash differs in \(Quantity.count(distance, "bit"))" : ""
            return "duplicate of \(ItemListing.shown(url))\(near)"
        }

        package init(_ twin: JobStorage.Twin) {
            index = twin.ordinal
            url = ItemListing.withoutUser(twin.url)
            (location, distance) = (twin.location, twin.distance)
        }
    }

    /// The id that the manifest gives it.
    @Nullable public package(set) var id: String?
    /// The position in the manifest, over all sources, from 1.
    public let index: Int
    /// As given, without a user and password.
    public let url: String
    /// One of the states of `docs/command-line.md`.
    public let state: String
    /// `veryLow` to `veryHigh`.
    public let priority: String
    /// Since it last got a new set of them.
    public let attempts: Int
    /// The error's name.
    @Nullable public package(set) var error: String?
    /// A sentence about it.
    @Nullable public package(set) var message: String?
    /// The earlier item with the same original; nil unless the item was skipped because of it.
    @Nullable public package(set) var twin: Twin?
    /// In the order of their names.
    public internal(set) var outputs: [Output]
    /// The facts about its original; nil if none are recorded.
    @Nullable public package(set) var facts: ItemFacts?

    /// The URL for people's eyes and logs: its query, which may hold a signature, is hidden.
    public var shownURL: String { Self.shown(url) }

    /// `url` with "redacted" in the place of a user and password before its host.
    package static func withoutUser(_ url: String) -> String {
        // Nearly no URL has one.
        guard url.containsASCII("@") else { return url }
        guard let scheme = url.utf8.firstRange(of: "://".utf8) else { return url }
        let authority = url.utf8[scheme.upperBound...].prefix { !"/?#\\".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return url }
        return url[..<scheme.upperBound] + NetworkLog.Redaction.replacement + url[at...]
    }

    /// `url` without a user, password and query, which may hold a signature, and a `data:` URL without most of its bytes.
    package static func shown(_ url: String) -> String {
        let url = withoutUser(url)
        // A key is taken as it is, without a query.
        guard !ItemURL.isObject(url), let query = url.unicodeScalars.firstIndex(of: "?") else {
            return url.hasPrefix("data:") ? String(url.prefix(40)) : url
        }
        return url[..<query] + "?…"
    }

    /// The item's state, its URL, and its files, or why it failed.
    public var description: String {
        let paths = outputs.compactMap(\.path)
        let reasons = outputs.filter { $0.state == "failed" }.map { "\($0.name): \($0.reason ?? $0.state)" }
        var text = "\(state) \(shownURL)"
        if let error {
            text += ": \(error)"
            if let message { text += ": \(message.replacing("\n", with: " "))" }
        } else if !reasons.isEmpty {
            text += ": \(reasons.joined(separator: ", "))"
        } else if let twin {
            text += ": \(twin.sentence)"
        } else if !paths.isEmpty {
            text += " → \(paths.joined(separator: ", "))"
        }
        return text
    }

    package init(_ record: ItemRecord) {
        id = record.id
        index = record.ordinal
        url = Self.withoutUser(record.url)
        state = record.state.rawValue
        priority = Self.name(ofPriority: record.priority)
        attempts = record.attempts
        error = record.error
        message = record.message
        outputs = record.outputs.map(Output.init)
        twin = record.twin.map { Twin($0) }
        facts = ItemFacts(json: record.facts)
    }

    /// The listing of an item that a run has just finished.
    package init(
        _ item: ClaimedItem,
        state: ItemState,
        error: String?,
        message: String?,
        outputs: [OutputRecord],
        facts: ItemFacts?
    ) {
        id = item.id
        index = item.ordinal
        url = Self.withoutUser(item.url)
        self.state = state.rawValue
        priority = Self.name(ofPriority: item.priority)
        attempts = item.attempts
        self.error = error
        self.message = message
        self.outputs = outputs.sorted { $0.name < $1.name }.map(Output.init)
        self.facts = facts
    }

    package static func name(ofPriority number: Int) -> String {
        let names = ["veryLow", "low", "normal", "high", "veryHigh"]
        return names[max(0, min(names.count - 1, number))]
    }
}
