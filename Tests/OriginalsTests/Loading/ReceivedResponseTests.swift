import Foundation
import FoundationNetworking
import Testing

@testable import Originals
@testable import Transport

@Suite("ReceivedResponse", .timeLimit(.minutes(10)))
struct ReceivedResponseTests {
    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://a.example/1.jpg"))
    }

    private func head(_ status: Int, _ fields: [(String, String)]) -> ResponseHead {
        let headers = fields.map { TransferRequest.Header($0.0, $0.1) }
        return ResponseHead(status: status, version: "HTTP/1.1", headers: headers)
    }

    private static let names = [
        "Content-Length", "content-type", "ETAG", "Cache-Control", "X-Robots-Tag", "Content-Encoding",
        "Missing",
    ]

    @Test(
        "what it says before Foundation's form is made is what that says",
        arguments: [
            [("content-length", "12"), ("Content-Type", "image/png"), ("etag", "\"a\"")],
            [
                ("Content-Length", "12"), ("Content-Length", "12"), ("cache-control", "no-cache"),
                ("Cache-Control", "private"),
            ],
            [("Content-Length", "many"), ("X-ROBOTS-TAG", "noai"), ("x-robots-tag", "noimageai")],
            [("Content-Encoding", "gzip"), ("Content-Type", "text/html; charset=utf-8")],
            [("ETag", "\"a\""), ("Transfer-Encoding", "chunked")],
            [],
        ]
    )
    func equal(fields: [(String, String)]) throws {
        for status in [200, 206, 404] {
            let response = ReceivedResponse(head(status, fields), url: url)
            let foundation = ReceivedResponse(response.urlResponse)
            #expect(response.statusCode == status && foundation.statusCode == status)
            #expect(response.url == url && foundation.url == url)
            #expect(response.expectedContentLength == foundation.expectedContentLength)
            #expect(response.isEncoded == foundation.isEncoded)
            for name in Self.names { #expect(response.field(name) == foundation.field(name), "\(name)") }
        }
    }

    @Test("a protocol without a status has a length, and no fields")
    func withoutStatus() throws {
        let response = ReceivedResponse(head(0, [("Content-Length", "7"), ("Last-Modified", "x")]), url: url)
        #expect(response.statusCode == nil && response.field("Last-Modified") == nil)
        #expect(response.expectedContentLength == 7)
        #expect(response.urlResponse is HTTPURLResponse == false)
        #expect(response.urlResponse.expectedContentLength == 7)
    }

    @Test(
        "the end of a body is proven by a length, a coding or a stream, unless it was decoded",
        arguments: [
            ("HTTP/1.1", [("Content-Length", "12")], true), ("HTTP/1.1", [], false), ("HTTP/2", [], true),
            ("HTTP/1.1", [("Transfer-Encoding", "chunked")], true),
            ("HTTP/1.1", [("Content-Length", "12"), ("Content-Encoding", "identity")], true),
            ("HTTP/1.1", [("Content-Length", "12"), ("Content-Encoding", "gzip")], false),
            ("HTTP/2", [("Content-Encoding", "gzip")], false),
        ] as [(String, [(String, String)], Bool)]
    )
    func ends(version: String, fields: [(String, String)], isProven: Bool) {
        let headers = fields.map { TransferRequest.Header($0.0, $0.1) }
        let head = ResponseHead(status: 200, version: version, headers: headers)
        #expect(ReceivedResponse(head, url: url).isEndProven == isProven)
    }

    @Test("Foundation's form is made once, also by many at the same time")
    func once() async throws {
        let response = ReceivedResponse(head(200, [("ETag", "\"a\"")]), url: url)
        let made = await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { ObjectIdentifier(response.urlResponse) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(made.count == 1)
        let own = try #require(response.urlResponse as? HTTPURLResponse)
        #expect(ReceivedResponse(own).urlResponse === own)
    }
}
