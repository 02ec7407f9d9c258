package import Foundation
import JobManifest
import JobPlanning

/// An event of a run as an entry of systemd's journal, with the event's keys as fields.
///
/// The form is the journal's native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL).
package struct JournalEntry: Sendable {
    /// A severity of syslog (RFC 5424, section 6.2.1).
    enum Severity: Int {
        case error = 3, warning, notice, informational
    }

    /// The most bytes of a field: an entry of all fields stays below the smallest datagram that Linux refuses (212,992 bytes).
    private static let longestValue = 8192

    let message: String
    let severity: Severity
    /// The values by the names of keys of `--json`.
    let fields: [String: String]

    /// Creates the entry of an event of the job `job`.
    ///
    /// It is nil for an item that did not fail: a large job would exceed the journal's rate limit.
    package init?(_ event: RunEvent, of job: String) {
        switch event {
        case .runStarted(_, let items):
            (message, severity) = (
                "\(job): started, \(items) \(Quantity.noun("item", items))", .informational
            )
        case .itemFinished(let item):
            guard item.hasFailed else { return nil }
            (message, severity) = ("\(item)", .warning)
        case .hostWaiting(let wait):
            let until = wait.until.map { " until \(Timestamp.text($0))" } ?? ""
            (message, severity) = ("\(wait.host) waits\(until): \(wait.reason)", .notice)
        case .runFinished(let report):
            (message, severity) = ("\(job): \(report.trouble ?? report.counts)", report.severity)
        }
        var keys = event.fields
        // Its own keys are fields.
        keys["item"] = nil
        var fields = keys.compactMapValues(Self.text)
        if case .itemFinished(let item) = event { fields.merge(item.journalFields) { $1 } }
        fields["job"] = job
        self.fields = fields
    }

    /// The entry as one datagram: each value after its length, so that it may hold line breaks.
    package var datagram: Data {
        var data = Data()
        data.append(field: "MESSAGE", message)
        data.append(field: "PRIORITY", "\(severity.rawValue)")
        data.append(field: "SYSLOG_IDENTIFIER", "nuke-batch")
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            data.append(field: "NUKE_BATCH_\(Self.name(of: key))", value)
        }
        return data
    }

    /// Returns `networkBytes` as `NETWORK_BYTES`.
    private static func name(of key: String) -> String {
        key.reduce(into: "") { name, letter in
            if letter.isUppercase { name.append("_") }
            name.append(letter == "_" ? "_" : letter.uppercased())
        }
    }

    /// Returns a text as it is, nil for an unknown one, and anything else as JSON.
    private static func text(_ value: any Encodable) -> String? {
        switch value {
        case let text as String: text
        case let text as Nullable<String>: text.wrappedValue
        default: JSONLine.text(value)
        }
    }

    /// Returns the beginning of a long value, up to a whole character.
    fileprivate static func shortened(_ value: String) -> String {
        guard value.utf8.count > longestValue else { return value }
        let end = value.utf8.index(value.startIndex, offsetBy: longestValue)
        return String(decoding: value.utf8[..<end], as: UTF8.self) + "…"
    }
}

extension Data {
    /// Appends a field: its name, a line break, the length of its value in 8 bytes (little-endian), the value, a line break.
    fileprivate mutating func append(field name: String, _ value: String) {
        let value = Data(JournalEntry.shortened(value).utf8)
        append(contentsOf: name.utf8)
        append(0x0A)
        append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: UInt64(value.count) >> (8 * $0)) })
        append(value)
        append(0x0A)
    }
}

extension ItemListing {
    /// True if the item or one of its outputs has failed.
    fileprivate var hasFailed: Bool { error != nil || outputs.contains { $0.state == "failed" } }

    /// The fields of its entry; the query of its URL, which may hold a signature, is hidden as in all logs.
    fileprivate var journalFields: [String: String] {
        var fields = [
            "event": "item_finished", "index": "\(index)", "url": shownURL, "state": state,
            "attempts": "\(attempts)",
        ]
        fields["id"] = id
        fields["error"] = error
        fields["reason"] = message
        let failed = outputs.filter { $0.state == "failed" }
        if !failed.isEmpty { fields["outputs"] = JSONLine.text(failed) }
        return fields
    }
}

extension RunReport {
    /// The figures of the run in a few words.
    fileprivate var counts: String {
        "exit \(exit.rawValue), \(made) made, \(failed) failed, \(left) left after \(Int(seconds.rounded())) s"
    }

    fileprivate var severity: JournalEntry.Severity {
        switch exit {
        case .done: .informational
        case .someFailed: .warning
        case .workLeft, .hungUp, .interrupted, .terminated: .notice
        default: .error
        }
    }
}
