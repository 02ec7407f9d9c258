import Foundation
import JobStorage
import Originals
import Testing

@testable import NukeBatch
@testable import Transport

/// The counters of requests.
@Suite struct RequestCountingTests {
    private func transfer(
        _ status: Int?,
        seconds: Double,
        headers: [TransferRequest.Header] = []
    ) -> TransferRecord {
        var metrics = TransferMetrics()
        metrics.total = .seconds(seconds)
        metrics.bodyBytes = 100
        return TransferRecord(
            TransferRequest(url: "https://a.example/1.jpg", host: "a.example"),
            host: "a.example",
            start: Date(timeIntervalSince1970: 0),
            blocked: .seconds(40),
            head: status.map { ResponseHead(status: $0, version: "HTTP/1.1", headers: headers) },
            metrics: metrics,
            error: nil
        )
    }

    @Test("a request counts by status, duration and bytes, without its wait")
    func request() {
        var increments = CounterIncrements()
        increments.add(transfer(200, seconds: 0.25), hostClass: "a.example")
        increments.add(transfer(404, seconds: 2), hostClass: "a.example")
        increments.add(transfer(nil, seconds: 100), hostClass: "a.example")
        let expected: [(JobCounter, String, Double)] = [
            (.requests, "200", 1), (.requests, "404", 1), (.requests, "none", 1),
            (.requestBuckets, "0.25", 1), (.requestBuckets, "2.5", 1), (.requestBuckets, "+Inf", 1),
            (.requestSeconds, "", 102.25), (.responseBytes, "", 300),
        ]
        #expect(increments.amounts.count == expected.count)
        for (counter, detail, amount) in expected {
            let found = increments.amounts[
                Counter(counter.rawValue, hostClass: "a.example", detail: detail)
            ]
            #expect(found == amount, "\(counter) \(detail)")
        }
    }

    @Test("an edge's hits and misses count, those of errors do not")
    func edge() {
        var increments = CounterIncrements()
        let hit = [TransferRequest.Header("X-Cache", "HIT")]
        increments.add(transfer(200, seconds: 1, headers: hit), hostClass: "other")
        increments.add(transfer(200, seconds: 1, headers: [.init("X-Cache", "MISS")]), hostClass: "other")
        increments.add(transfer(200, seconds: 1), hostClass: "other")
        increments.add(transfer(404, seconds: 1, headers: hit), hostClass: "other")
        let edge = increments.amounts.filter { $0.key.name == JobCounter.edgeResponses.rawValue }
        #expect(
            edge == [
                Counter("edge_responses", hostClass: "other", detail: "hit"): 1,
                Counter("edge_responses", hostClass: "other", detail: "miss"): 1,
            ]
        )
    }

    @Test("a server that invents statuses makes no more than some dozens of series")
    func statuses() {
        let all = Set((-1...2000).map { CounterIncrements.status($0) })
        #expect(all.count <= 33, "\(all.sorted())")
        #expect(all.isSuperset(of: ["200", "404", "503", "1xx", "5xx", "other"]))
        #expect(CounterIncrements.status(299) == "2xx" && CounterIncrements.status(nil) == "none")
    }
}
