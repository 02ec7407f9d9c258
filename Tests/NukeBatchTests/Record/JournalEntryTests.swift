import Foundation
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct JournalEntryTests {
    @Test(
        "each exit code has a severity",
        arguments: [
            (ExitCode.done, "6"), (.someFailed, "4"), (.workLeft, "5"), (.terminated, "5"), (.machine, "3"),
        ]
    )
    func severities(exit: ExitCode, severity: String) throws {
        var report = RunReport()
        report.exit = exit
        let entry = try #require(JournalEntry(.runFinished(report), of: "thumbnails"))
        #expect("\(entry.severity.rawValue)" == severity)
        #expect(entry.fields["exit"] == "\(exit.rawValue)" && entry.fields["stopped"] == nil)
    }

    @Test("a value of several lines and a long one") func values() throws {
        var report = RunReport()
        report.trouble = "first\nsecond"
        report.warnings = [String(repeating: "ä", count: 10_000)]
        let entry = try #require(JournalEntry(.runFinished(report), of: "thumbnails"))
        let datagram = entry.datagram
        let value =
            Data("NUKE_BATCH_STOPPED\n".utf8) + [12, 0, 0, 0, 0, 0, 0, 0] + Data("first\nsecond\n".utf8)
        #expect(datagram.range(of: value) != nil)
        #expect(datagram.range(of: Data("NUKE_BATCH_NETWORK_BYTES\n".utf8)) != nil)
        #expect(datagram.count < 12_000)
        // Cut between characters: the text is whole.
        #expect(String(data: datagram.filter { $0 >= 0x0A }, encoding: .utf8) != nil)
    }
}
