import Foundation
import Originals
import Testing

@testable import NukeBatch
@testable import Transport

/// The counts of what edges had.
@Suite struct EdgeStatisticsTests {
    private func transfer(_ status: Int?, _ headers: [TransferRequest.Header] = []) -> TransferRecord {
        TransferRecord(
            TransferRequest(url: "https://a.example/1.jpg", host: "a.example"),
            host: "a.example",
            start: Date(timeIntervalSince1970: 0),
            blocked: .zero,
            head: status.map { ResponseHead(status: $0, version: "HTTP/1.1", headers: headers) },
            metrics: TransferMetrics(),
            error: nil
        )
    }

    @Test("hits and misses are counted, and nothing that does not say which it is")
    func counts() {
        let edge = EdgeStatistics()
        let hit = [TransferRequest.Header("X-Cache", "HIT")],
            miss = [TransferRequest.Header("X-Cache", "MISS")]
        for transfer in [
            transfer(200, hit), transfer(200, miss), transfer(206, hit), transfer(200, hit), transfer(200),
            transfer(404, hit), transfer(503, miss), transfer(nil),
        ] {
            edge.add(transfer)
        }
        #expect(edge.total == EdgeCounts(hits: 3, misses: 1))
    }
}
