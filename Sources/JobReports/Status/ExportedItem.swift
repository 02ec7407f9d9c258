import Foundation
import JobManifest
public import JobPlanning
package import JobStorage

/// An item with all its recorded details: a line or a row of `export`.
///
/// All keys are always present; unknown values are null (`docs/command-line.md`).
public struct ExportedItem: Sendable, Encodable {
    /// An output of an item; its first keys are those of `items --json`.
    public struct Output: Sendable, Encodable {
        let name: String
        @Nullable var path: String?
        let state: String
        @Nullable var reason: String?
        @Nullable var bytes: Int?
        @Nullable var width: Int?
        @Nullable var height: Int?
        @Nullable var sha256: String?
        @Nullable var format: String?
        @Nullable var quality: Int?
        @Nullable var ssimulacra2: Double?
        @Nullable var shortfall: String?
        @Nullable var encoder: String?
        @Nullable var spec: String?

        init(_ output: OutputRecord) {
            name = output.name
            state = output.state.rawValue
            (path, reason, bytes) = (output.path, output.reason, output.bytes)
            (width, height, sha256) = (output.width, output.height, output.sha256)
            (quality, ssimulacra2, shortfall) = (
                output.quality, output.ssimulacra2, output.shortfall?.rawValue
            )
            (format, encoder, spec) = (output.format, output.encoder, output.spec)
        }
    }

    /// The latest attempt.
    public struct Attempt: Sendable, Encodable {
        let number: Int
        let run: Int
        let outcome: String
        let started: String
        let milliseconds: Int
        /// The HTTP status; null if the original came from a cache or a file.
        @Nullable var status: Int?
        /// The size of the original, in bytes.
        @Nullable var bytes: Int?

        init(_ attempt: AttemptRecord) {
            number = attempt.number
            run = Int(attempt.runID)
            outcome = attempt.result.outcome
            started = Timestamp.text(attempt.result.started)
            milliseconds = attempt.result.milliseconds
            (status, bytes) = (attempt.result.http, attempt.result.bytes)
        }
    }

    let index: Int
    @Nullable var id: String?
    let url: String
    /// The row that lists it, such as `urls.txt:17`.
    let location: String
    let state: String
    let priority: String
    let attempts: Int
    @Nullable var error: String?
    @Nullable var message: String?
    /// The time of its last change.
    let updated: String
    /// The cache key of its original; null for a URL with variables, because the key contains their values.
    @Nullable var cacheKey: String?
    /// SHA-256 of its original in hexadecimal.
    @Nullable var originalSha256: String?
    @Nullable var last: Attempt?
    @Nullable var facts: ItemFacts?
    let outputs: [Output]

    /// Creates the item that a state has.
    package init(_ record: ItemRecord) {
        index = record.ordinal
        url = ItemListing.withoutUser(record.url)
        location = record.location
        state = record.state.rawValue
        priority = ItemListing.name(ofPriority: record.priority)
        attempts = record.attempts
        updated = Timestamp.text(record.updated)
        outputs = record.outputs.map(Output.init)
        (id, error, message) = (record.id, record.error, record.message)
        // A key contains the URL with the values of its variables, which must not be exported.
        cacheKey = Variables.occur(in: record.url) ? nil : record.cacheKey.map(ItemListing.withoutUser)
        originalSha256 = record.knownOriginalSHA256
        last = record.lastAttempt.map(Attempt.init)
        facts = ItemFacts(json: record.facts)
    }
}

extension JobState {
    /// Calls `body` with each selected item and its details, in the manifest's order, streamed.
    /// - Throws: `RunError.machine`.
    public func forEachExport(_ selection: ItemSelection, _ body: (ExportedItem) -> Void) throws(RunError) {
        try forEachRecord(selection, withAttempts: true) { body(ExportedItem($0)) }
    }
}
