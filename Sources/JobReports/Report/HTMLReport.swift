internal import Files
public import Foundation
internal import Glibc
public import JobManifest
public import JobPlanning
package import ObjectStorage

/// A job as one page of HTML: self-contained, without scripts, readable on a phone, in dark mode and on paper.
///
/// The page loads nothing, and its Content Security Policy (level 3) forbids it. The queries of URLs, which may
/// contain signatures, are hidden.
public struct HTMLReport {
    /// The page.
    public let html: String

    /// Reads the job of `manifest` from its state, its cache and its outputs.
    /// - Throws: `RunError`.
    public init(
        _ manifest: Manifest,
        options: RunOptions = RunOptions(),
        now: Date = Date()
    ) async throws(RunError) {
        try await self.init(manifest, options: options, partitions: nil, now: now)
    }

    /// Reads the states of `partitions`, or the one that `options` select if it is nil, the cache and the outputs.
    /// - Throws: `RunError`.
    package init(
        _ manifest: Manifest,
        options: RunOptions,
        partitions: RecordedPartitions?,
        now: Date = Date()
    ) async throws(RunError) {
        let manifest = try options.applied(to: manifest)
        let states = try (partitions?.options ?? [options]).map { part throws(RunError) in
            try JobState(manifest, options: part)
        }
        let figures = try ReportFigures(states, isPartitioned: partitions != nil)
        let pairs = try await ContactSheet(manifest).pairs(states)
        let commands = NextCommands(
            manifestPath: manifest.path,
            options: options,
            shardCount: partitions?.count
        )
        let sections: [HTML] = [
            Self.failures(figures, of: manifest, commands),
            Self.outputs(figures), Self.times(figures), Self.sizes(figures),
            Self.scores(figures), Self.sheet(pairs, figures), Self.slowest(figures), Self.largest(figures),
            Self.runs(figures),
        ]
        html =
            HTMLPage(
                title: "\(manifest.name): report",
                header: Self.header(manifest, figures, scope: Self.scope(figures.status, partitions)),
                sections: sections,
                footer: "Queries in URLs are hidden.",
                now: now
            ).html
    }

    /// Stores a page as an object.
    /// - Throws: `RunError.machine` if the store does not take it.
    package func store(_ page: Data, at location: ObjectLocation, of manifest: Manifest)
        async throws(RunError)
    {
        let attributes = ObjectAttributes(contentType: "text/html; charset=utf-8")
        try await manifest.write(Payload(page), attributes, at: location)
    }

    /// The part of the job that the page is about, such as `3 of 4 partitions`; nil for the whole job.
    private static func scope(_ status: JobStatus, _ partitions: RecordedPartitions?) -> String? {
        guard let partitions, partitions.count > 0 else { return status.shard.map { "partition \($0)" } }
        let all = Quantity.count(partitions.count, "partition")
        return partitions.warning == nil ? "all \(all)" : "\(partitions.options.count) of \(all)"
    }

    /// Formats a time, such as `21 Nov 2026, 16:03 UTC`.
    static func date(_ date: Date) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min].map { ($0 < 10 ? "0" : "") + String($0) }
        return
            "\(parts.tm_mday) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year), \(clock.joined(separator: ":")) UTC"
    }
}
