import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

@Suite struct ErrorCodeTests {
    private static let path = Repository.root.appendingPathComponent("docs/errors.md").path

    /// The page `docs/errors.md`, made from the table.
    private static var page: String {
        let rows = ErrorCode.listed.map { code in
            let entry = code.entry
            let cells = [
                "`\(entry.name)`", entry.recovery.summary, entry.meaning, entry.remedy, entry.origin,
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return """
            # Errors

            Each failed item has one of these codes. `nuke-batch items MANIFEST --error CODE` lists the items with a code;
            `nuke-batch explain MANIFEST URL` shows the cause and the remedy for one item. Other HTTP statuses have codes of the
            same form, `http_STATUS`.

            - **retried**: the run retries the item with backoff, up to `retry.attempts`; the next run tries again.
            - **retried by the next run**: the item fails in this run; the next run tries again.
            - **permanent**: the item stays failed until `nuke-batch retry`, `retry.recheck` or a change of the manifest.
            - **quarantined**: the item is not tried again until `nuke-batch retry`.
            - **stops the run**: the item becomes pending again, and the run ends with exit code 4.
            - **put back**: the item becomes pending again, and the attempt does not count.

            | code | class | meaning | remedy | comes from |
            | --- | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            """
    }

    @Test("docs/errors.md is made from the table: NUKE_BATCH_RECORD=1 writes it anew")
    func published() throws {
        if ProcessInfo.processInfo.environment["NUKE_BATCH_RECORD"] == "1" {
            try Self.page.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: Self.path, encoding: .utf8) == Self.page)
    }

    @Test("each code is read back from its text, and no two have the same", arguments: ErrorCode.listed)
    func text(code: ErrorCode) throws {
        #expect(ErrorCode(rawValue: code.rawValue) == code && code.description == code.rawValue)
        #expect(ErrorCode.listed.count { $0.rawValue == code.rawValue } == 1)
        let data = try JSONEncoder().encode([code])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(code.rawValue)\"]")
        #expect(try JSONDecoder().decode([ErrorCode].self, from: data) == [code])
    }

    @Test("each row has a sentence and a remedy", arguments: ErrorCode.listed)
    func sentences(code: ErrorCode) {
        let entry = code.entry
        for sentence in [entry.meaning, entry.remedy] {
            #expect(sentence.first?.isUppercase == true || sentence.hasPrefix("network."), "\(sentence)")
            #expect(sentence.hasSuffix(".") && !sentence.contains("|"), "\(sentence)")
        }
        #expect(!entry.origin.isEmpty && !entry.origin.contains("|"))
    }

    @Test("statuses without a row of their own have codes as well")
    func statuses() {
        #expect(ErrorCode(rawValue: "http_418") == .http(418) && ErrorCode.http(418).rawValue == "http_418")
        #expect(ErrorCode.http(418).status == 418 && ErrorCode.dns.status == nil)
        #expect(ErrorCode.http(418).entry.meaning == "The server rejects the request.")
        #expect(ErrorCode.http(599).entry.meaning == "The server reports an internal error.")
        #expect(ErrorCode.http(304).entry.meaning == "The server answered with an unexpected status.")
        for text in ["", "http_", "http_x", "http_ 404", "http_0404", "HTTP_404", "DNS", "unknown"] {
            #expect(ErrorCode(rawValue: text) == nil, "\(text)")
        }
    }

    @Test("the host is at fault only where it could not be reached")
    func unreachable() {
        #expect(ErrorCode.listed.filter(\.isUnreachable) == [.dns, .refused, .timeout, .reset])
    }

    @Test("the next run retries what may pass, and the statuses of retry.statuses")
    func retryable() throws {
        let folder = try ManifestFolder()
        let always: Set<ErrorCode> = [
            .dns, .refused, .timeout, .reset, .truncated, .integrity, .hostDown, .offline, .plugIn,
        ]
        let standard = try folder.read(#"{"sources": [{"urls": ["https://a.example/1"]}]}"#)
        let statuses = [408, 425, 429, 500, 502, 503, 504].map(ErrorCode.http)
        #expect(standard.retry.retryableErrors == always.union(statuses))
        let own = try folder.read(
            #"{"sources": [{"urls": ["https://a.example/1"]}], "retry": {"statuses": [404]}}"#
        )
        #expect(own.retry.retryableErrors == always.union([.http(404)]))
    }
}
