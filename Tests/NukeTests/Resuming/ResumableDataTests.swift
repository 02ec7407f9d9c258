import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ResumableDataTests {
    func response(_ status: Int = 200, _ headers: [String: String]) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://example.com/a"))
        return try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        )
    }

    let whole = ["Accept-Ranges": "bytes", "Content-Length": "100", "ETag": "\"v\""]

    func with(_ changes: [String: String?]) -> [String: String] {
        whole.changed(changes)
    }

    @Test func keepsABodyThatBrokeOff() throws {
        let data = try #require(ResumableData(response: response(200, whole), data: Data(count: 40)))
        #expect(data.validator == "\"v\"")
        var request = URLRequest(url: try #require(URL(string: "http://example.com/a")))
        data.resume(request: &request)
        #expect(request.value(forHTTPHeaderField: "Range") == "bytes=40-")
        #expect(request.value(forHTTPHeaderField: "If-Range") == "\"v\"")
    }

    @Test func prefersTheEntityTagUnlessItIsWeak() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let weak = try response(200, with(["ETag": "W/\"v\"", "Last-Modified": date]))
        #expect(ResumableData(response: weak, data: Data(count: 40))?.validator == date)
        let strong = try response(200, with(["Last-Modified": date]))
        #expect(ResumableData(response: strong, data: Data(count: 40))?.validator == "\"v\"")
    }

    @Test func keepsNothingThatCannotBeResumed() throws {
        let refused: [(Int, [String: String], Int)] = [
            (200, whole, 0), (200, whole, 100), (200, whole, 120), (404, whole, 40),
            (200, with(["Accept-Ranges": "none"]), 40), (200, with(["Accept-Ranges": nil]), 40),
            (200, with(["ETag": nil]), 40), (200, with(["ETag": "W/\"v\""]), 40),
            (200, with(["ETag": ""]), 40), (200, with(["ETag": "\"\""]), 40),
            (200, with(["Content-Length": nil]), 40), (200, with(["Content-Encoding": "gzip"]), 40),
            (206, with(["Content-Range": "bytes 40-99/*"]), 60), (206, whole, 60),
        ]
        for (status, headers, count) in refused {
            let response = try response(status, headers)
            #expect(
                ResumableData(response: response, data: Data(count: count)) == nil,
                "\(status) \(headers)"
            )
        }
        let part = try response(206, with(["Content-Range": "bytes 40-99/100", "Content-Length": "60"]))
        #expect(ResumableData(response: part, data: Data(count: 70))?.data.count == 70)
    }

    @Test func believesOnlyAPartThatFits() throws {
        let whole = with(["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])
        let data = try #require(ResumableData(response: response(200, whole), data: Data(count: 40)))
        let rest = ["Content-Range": "bytes 40-99/100", "Content-Length": "60", "ETag": "\"v\""]
        let fitting: [[String: String?]] = [
            [:], ["Content-Length": nil], ["Content-Range": "bytes 40-99/*"], ["ETag": nil],
            ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
            // Seen in the wild: the last byte and the length are those of the part.
            ["Content-Range": "bytes 40-100/60"],
        ]
        for changes in fitting {
            let fits = try response(206, rest.changed(changes))
            #expect(data.isContinued(by: fits), "\(changes)")
            #expect(ResumableData.isResumedResponse(fits))
        }
        let lies: [[String: String?]] = [
            ["Content-Range": "bytes 0-99/100"], ["Content-Range": "bytes 41-99/100"],
            ["Content-Range": nil], ["Content-Range": "bytes 40-99/200"],
            ["Content-Range": "bytes -1-99/100"],
            ["Content-Range": "bytes 40-100/101", "Content-Length": "61"], ["ETag": "\"w\""],
            ["Content-Range": "bytes 40-69/100", "Content-Length": "30"], ["Content-Encoding": "gzip"],
            ["Content-Range": "bytes 40-200/100", "Content-Length": "161"],
            ["Content-Range": "bytes 40-200/100", "Content-Length": nil],
            ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"],
            // Sums with these would not fit into a number.
            ["Content-Length": "9223372036854775807"],
            ["Content-Range": "bytes 40-9223372036854775807/*", "Content-Length": nil],
            ["Content-Range": "bytes 40-9223372036854775806/9223372036854775807", "Content-Length": nil],
        ]
        for changes in lies {
            #expect(!data.isContinued(by: try response(206, rest.changed(changes))), "\(changes)")
        }
        #expect(!data.isContinued(by: try response(200, rest)))
        #expect(!ResumableData.isResumedResponse(try response(200, whole)))
    }

    /// RFC 9110, section 8.8.2.2: within a second the file may have changed again.
    @Test func aDateIsNoValidatorWhileItIsFresh() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for (now, isStrong) in [(date, false), ("Sun, 06 Nov 1994 08:49:38 GMT", true), ("yesterday", true)] {
            let response = try response(200, with(["ETag": nil, "Last-Modified": date, "Date": now]))
            #expect((ResumableData(response: response, data: Data(count: 40)) != nil) == isStrong, "\(now)")
        }
    }

    /// Some servers forget the quotes; what they compare is what they sent.
    @Test func anEntityTagWithoutQuotesIsTakenAsItIs() throws {
        let response = try response(200, with(["ETag": "img_01"]))
        #expect(ResumableData(response: response, data: Data(count: 40))?.validator == "img_01")
    }

    @Test func resumesFromAServer() async throws {
        let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
        let server = try LoopbackServer { request in .resource(body, etag: "\"v\"", for: request) }
        let loader = CurlDataLoader()
        let first = await loader.load(server.url())
        let response = try #require(first.response)
        let data = try #require(ResumableData(response: response, data: body.prefix(300)))
        var request = URLRequest(url: server.url())
        data.resume(request: &request)
        let second = await loader.load(request)
        #expect(data.isContinued(by: try #require(second.response)))
        #expect(data.data + second.body == body)
    }
}

extension [String: String] {
    /// With other values for some keys, and without those that have none.
    fileprivate func changed(_ changes: [String: String?]) -> [String: String] {
        changes.reduce(into: self) { $0[$1.key] = $1.value }
    }
}
