import Foundation
import Testing

@testable import Transport

@Suite struct ResponseHeadTests {
    /// The heads that a reader completes, and true if it found one too long.
    private func read(_ lines: [String]) -> (heads: [ResponseHead], isTooLong: Bool) {
        var reader = HeadReader()
        var heads: [ResponseHead] = []
        for line in lines {
            let step = Array(line.utf8).withUnsafeBytes { reader.take($0) }
            switch step {
            case .more: continue
            case .complete(let head): heads.append(head)
            case .tooLong: return (heads, true)
            }
        }
        return (heads, false)
    }

    private func head(_ fields: [(String, String)]) -> ResponseHead {
        ResponseHead(
            status: 200,
            version: "HTTP/1.1",
            headers: fields.map { TransferRequest.Header($0.0, $0.1) }
        )
    }

    @Test("the status line and the fields, without white space around values")
    func simple() throws {
        let (heads, _) = read(["HTTP/2 204 \r\n", "A: b\r\n", "c:\t d e \t\r\n", "E:\r\n", "\r\n"])
        let head = try #require(heads.first)
        #expect(heads.count == 1)
        #expect(head.status == 204)
        #expect(head.version == "HTTP/2")
        #expect(head.headers == [.init("A", "b"), .init("c", "d e"), .init("E", "")])
        #expect(head.value(of: "a") == "b")
        #expect(head.value(of: "C") == "d e")
        #expect(head.value(of: "none") == nil)
    }

    @Test(
        "a broken status line is status 0",
        arguments: ["HTTP/1.1\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1  \r\n"]
    )
    func brokenStatus(line: String) {
        #expect(read([line, "\r\n"]).heads.map(\.status) == [0])
    }

    @Test(
        "interim responses are passed over, a change of protocol is final",
        arguments: [100, 102, 103, 199]
    )
    func interim(status: Int) {
        let lines = ["HTTP/1.1 \(status) x\r\n", "A: interim\r\n", "\r\n"]
        let (heads, _) = read(lines + ["HTTP/1.1 200 OK\r\n", "B: final\r\n", "\r\n"])
        #expect(heads.map(\.status) == [200])
        #expect(heads.first?.value(of: "A") == nil)
        #expect(read(["HTTP/1.1 101 x\r\n", "\r\n"]).heads.map(\.status) == [101])
    }

    @Test("folded lines belong to the field before them; a line without a colon to none")
    func odd() throws {
        let (heads, _) = read([
            "HTTP/1.1 200 OK\r\n", " folded first\r\n", "A: one\r\n", "\t two\r\n", "   three\r\n",
            "no colon\r\n", ": no name\r\n", "B: last\r\n", "\r\n",
        ])
        let fields = try #require(heads.first).headers
        #expect(fields == [.init("A", "one two three"), .init("", "no name"), .init("B", "last")])
    }

    @Test("bytes that are no UTF-8 are Latin-1")
    func encodings() {
        var reader = HeadReader()
        for bytes in [Array("HTTP/1.1 200 OK\r\n".utf8), [0x41, 0x3A, 0xE9, 0x0A], Array("B: é\n".utf8)] {
            bytes.withUnsafeBytes { _ = reader.take($0) }
        }
        guard case .complete(let head) = Array("\r\n".utf8).withUnsafeBytes({ reader.take($0) }) else {
            Issue.record("no head")
            return
        }
        #expect(head.headers.map(\.value) == ["é", "é"])
    }

    @Test(
        "bytes of a Location that are no UTF-8 are kept as bytes",
        arguments: [
            ([0x2F, 0xE9, 0x20, 0xFC], "/%E9 %FC"), ([0x2F, 0xC3, 0xA9], "/é"),
            ([0xC3, 0xA9, 0xE9], "%C3%A9%E9"),
        ] as [([UInt8], String)]
    )
    func locations(bytes: [UInt8], expected: String) {
        var reader = HeadReader()
        for line in [Array("HTTP/1.1 302 Found\r\n".utf8), Array("LOCATION: ".utf8) + bytes + [0x0D, 0x0A]] {
            line.withUnsafeBytes { _ = reader.take($0) }
        }
        guard case .complete(let head) = Array("\r\n".utf8).withUnsafeBytes({ reader.take($0) }) else {
            Issue.record("no head")
            return
        }
        #expect(head.value(of: "Location") == expected)
    }

    @Test("lines after the head are trailers, which do not count as fields")
    func trailers() {
        let (heads, _) = read(["HTTP/1.1 200 OK\r\n", "\r\n", "T: trailer\r\n", "\r\n"])
        #expect(heads.count == 1)
        #expect(heads.first?.headers.isEmpty == true)
    }

    @Test("a head has at most 256 KiB, interim responses and trailers included")
    func limit() {
        let start = "HTTP/1.1 200 OK\r\n"
        let end = "\r\n"
        let rest = HeadReader.limit - start.utf8.count - end.utf8.count
        #expect(HeadReader.limit == 262_144)
        let full = "A:" + String(repeating: "x", count: rest - 2)
        #expect(read([start, full, end]).heads.count == 1)
        #expect(read([start, full, end]).isTooLong == false)
        #expect(read([start, full + "x", end]).isTooLong)
        #expect(read([start, full, end, "x"]).isTooLong)
        let interim = ["HTTP/1.1 103 x\r\n", "\r\n"]
        #expect(read(interim + [start, full, end]).isTooLong)
    }

    @Test(
        "the declared length is a number of at least 0",
        arguments: [
            ("0", 0), ("123", 123), ("-1", nil), ("", nil), ("1, 1", nil), ("0x10", nil),
            ("99999999999999999999", nil), ("9223372036854775807", .max), ("9223372036854775808", nil),
            ("+1", nil),
            ("-0", nil),
        ]
    )
    func contentLength(value: String, expected: Int?) {
        #expect(head([("content-length", value)]).contentLength == expected)
        #expect(head([("content-length2", value)]).contentLength == nil)
    }

    @Test("a transfer coding takes the place of a length")
    func codings() {
        #expect(head([("Content-Length", "5"), ("transfer-encoding", "chunked")]).contentLength == nil)
        #expect(head([("Content-Length", "5"), ("Content-Encoding", "gzip")]).contentLength == 5)
    }

    @Test("lengths that differ contradict each other")
    func contradictions() {
        #expect(!head([]).hasContradictingLengths)
        #expect(!head([("Content-Length", "1")]).hasContradictingLengths)
        #expect(!head([("Content-Length", "1"), ("content-length", "1")]).hasContradictingLengths)
        #expect(head([("Content-Length", "1"), ("content-length", "2")]).hasContradictingLengths)
        #expect(head([("Content-Length", "1"), ("A", "b"), ("content-length", "")]).hasContradictingLengths)
    }

    @Test(
        "a list of lengths must be of one, and each must be a length",
        arguments: [
            ("1, 1", false), ("1,1", false), ("1, 2", true), ("2, 1", true), ("1,", true), ("0x10", true),
            ("99999999999999999999", true), ("-1", true), ("", true),
            ("+1", true), ("9223372036854775807", false), ("9223372036854775807, 9223372036854775807", false),
        ]
    )
    func lists(value: String, expected: Bool) {
        #expect(head([("Content-Length", value)]).hasContradictingLengths == expected)
    }
}
