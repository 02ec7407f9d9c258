import Foundation
import LoopbackServer
import Nuke
import Testing

/// The cache against the rules of RFC 9111 and RFC 5861, with answers of a server that are real but for the time.
@Suite(.timeLimit(.minutes(10)))
struct HTTPCacheTests {
    @Test func theTableIsLong() {
        #expect(HTTPCacheCase.all.count >= 60)
        #expect(Set(HTTPCacheCase.all.map(\.name)).count == HTTPCacheCase.all.count)
    }

    @Test(arguments: HTTPCacheCase.all)
    func follows(_ example: HTTPCacheCase) async throws {
        let fixture = HTTPCacheFixture { $0.isShared = example.isShared }
        let server = try LoopbackServer { [fixture, example] request in
            example.answer(to: request, at: fixture.time.now)
        }
        var request = URLRequest(url: server.url("/1"))
        for field in example.first.pairs { request.setValue(field.value, forHTTPHeaderField: field.name) }
        let first = await fixture.loader.load(request)
        #expect(first.text == "one")
        #expect(first.completions == 1)
        fixture.time.pass(example.wait)
        request = URLRequest(url: server.url("/1"))
        request.cachePolicy = example.policy
        for field in example.second.pairs { request.setValue(field.value, forHTTPHeaderField: field.name) }
        // The server tells the two apart by this field, which the cache has no reason to look at.
        request.setValue("yes", forHTTPHeaderField: "X-Second")
        let second = await fixture.loader.load(request)
        #expect(second.completions == 1)
        #expect(!second.isLate)
        let outcome = self.outcome(second, server.requests, isError: example.isError)
        #expect(outcome == example.outcome, "\(server.requests.map(\.headers))")
        if let age = example.age { #expect(second.field("Age") == age) }
    }

    /// Returns the outcome of the second request.
    private func outcome(
        _ second: LoadOutcome,
        _ requests: [LoopbackServer.Request],
        isError: Bool
    ) -> HTTPCacheCase.Outcome? {
        // More than two where libcurl asks again over a new connection, because the kept one broke.
        let isAsked = requests.count > 1
        let isConditional = isAsked && requests[1].isConditional
        switch (isAsked, isConditional, second.text, second.error) {
        case (false, _, "one", nil): return .cached
        case (false, _, "", is HTTPCacheError): return .refused
        case (true, _, "one", nil) where isError: return .excused
        case (true, true, "one", nil): return .confirmed
        case (true, true, "two", nil): return .replaced
        case (true, false, "two", nil): return .loaded
        case (true, _, "", _?): return .failed
        default: return nil
        }
    }
}

extension HTTPCacheCase {
    /// True if the server fails the second request.
    var isError: Bool {
        switch answer {
        case .honest, .changed: false
        case .status, .reset: true
        }
    }

    /// Returns the server's response.
    func answer(to request: LoopbackServer.Request, at now: Date) -> LoopbackServer.Response {
        guard request.headers["x-second"] != nil else {
            return .init(status: status, headers: dated(response, at: now), body: .data(Data("one".utf8)))
        }
        let two = LoopbackServer.Response(headers: dated([:], at: now), body: .data(Data("two".utf8)))
        switch answer {
        case .honest(let fields):
            return request.isConditional ? .init(status: 304, headers: dated(fields, at: now)) : two
        case .changed: return two
        case .status(let status): return .status(status)
        case .reset: return .init(body: .reset)
        }
    }

    /// The date as servers send it.
    private func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    /// The fields with their dates written out.
    private func dated(_ fields: Fields, at now: Date) -> [(name: String, value: String)] {
        let isDated = fields.pairs.contains { $0.name == "Date" }
        let date = (name: "Date", value: text(now))
        return (fields.pairs + (isDated ? [] : [date])).filter { !$0.value.isEmpty }.map { name, value in
            guard value.hasPrefix("{"), let offset = Double(value.dropFirst().dropLast()) else {
                return (name, value)
            }
            return (name, text(TestTime.start + offset))
        }
    }
}
