import Foundation
import FoundationNetworking
import LoopbackServer

/// The rules for delivery.
extension Trial {
    /// Bytes that reveal their own position.
    private static let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 251 ^ $0) })

    func checkOrder() async throws {
        let server = try LoopbackServer { _ in .data(Self.body) }
        let told = try await load(server, "/body")
        try require(told.error == nil, "a good answer failed: \(String(describing: told.error))")
        try require(told.body.count == Self.body.count, "\(told.body.count) of \(Self.body.count) bytes came")
        try require(told.body == Self.body, "the bytes came, but not in their order")
    }

    func checkThreading() async throws {
        let pieces = (0..<8).map { Data(repeating: $0, count: 70_000) }
        let server = try LoopbackServer { _ in .init(body: .pieces(pieces)) }
        let told = try await load(server, "/body", dwell: 500)
        try require(!told.overlaps, "a call began before the one before it had returned")
        try require(told.body.count == 560_000, "\(told.body.count) of 560000 bytes came")
    }

    func checkIncrementalDelivery() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in
            .init(body: .pieces([Data(count: 70_000), Data(count: 5)])) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        let record = LoadRecord()
        let load = start("/body", of: server, record: record)
        defer { withExtendedLifetime(load) {} }
        try await wait(for: "the first part of a body whose rest is held back") {
            record.told.body.count == 70_000
        }
        try require(record.told.completions == 0, "the load ended before its body")
        gate.open()
        try await wait(for: "the end") { record.told.completions > 0 }
        try require(record.told.body.count == 70_005, "\(record.told.body.count) of 70005 bytes came")
    }

    func checkEmptyBody() async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let told = try await load(server, "/empty")
        try require(told.error == nil, "an empty body failed: \(String(describing: told.error))")
        try require(told.body.isEmpty, "bytes of an empty body came")
    }

    func checkResponse() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8), type: "image/png") }
        let told = try await load(server, "/a.png?x=1")
        let status = (told.response as? HTTPURLResponse)?.statusCode ?? 0
        try require(status == 200, "the response has the status \(status) instead of 200")
        let found = told.response?.url?.absoluteString ?? "none"
        try require(told.response?.url == url(server.url("/a.png?x=1")), "the response has the URL \(found)")
        let length = told.response?.expectedContentLength ?? -1
        try require(length == 1, "the response declares \(length) bytes instead of 1")
        let type = told.response?.mimeType ?? "none"
        try require(type == "image/png", "the response has the media type \(type) instead of image/png")
    }

    func checkRequest() async throws {
        let server = try LoopbackServer { request in .data(request.body) }
        var request = URLRequest(url: server.url("/echo"))
        request.httpMethod = "POST"
        request.httpBody = Data("posted".utf8)
        request.setValue("bytes=10-", forHTTPHeaderField: "Range")
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        let told = try await load(request, "a POST")
        let sent = server.requests.first
        try require(sent?.method == "POST", "the method \(sent?.method ?? "none") was sent instead of POST")
        try require(sent?.headers["range"] == "bytes=10-", "the header field Range was not sent")
        try require(sent?.headers["authorization"] == "secret", "the header field Authorization was not sent")
        try require(told.body == Data("posted".utf8), "the body was not sent")
    }

    func checkManyAtOnce() async throws {
        let server = try LoopbackServer { request in .data(Data(request.path.utf8)) }
        let records = (0..<50).map { _ in LoadRecord() }
        let loads = records.enumerated().map { start("/\($0)", of: server, record: $1) }
        defer { withExtendedLifetime(loads) {} }
        try await wait(for: "the end of 50 loads") { records.allSatisfy { $0.told.completions > 0 } }
        for (number, record) in records.enumerated() {
            let text = String(decoding: record.told.body, as: UTF8.self)
            try require(text == "/\(number)", "the load of /\(number) got \"\(text)\"")
        }
    }
}
