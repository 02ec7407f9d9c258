import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing
import Transport

/// Requests on kept connections that the server closes without an answer: libcurl would repeat them by itself.
@Suite(.timeLimit(.minutes(10))) struct RepeatedRequestTests {
    /// A server that answers the first request of a connection, and swallows the first try of every other one.
    private func server(swallowing most: Int = 1) throws -> LoopbackServer {
        let tries = Mutex<[String: Int]>([:])
        return try LoopbackServer { request in
            let count = tries.withLock { tries in
                tries[request.path, default: 0] += 1
                return tries[request.path, default: 0]
            }
            guard request.path.hasPrefix("/swallowed"), count <= most else { return .data(Data("x".utf8)) }
            return .init(body: .nothing)
        }
    }

    private func loader(_ records: Records, _ limiter: HostRateLimiter? = nil) -> CurlDataLoader {
        var configuration = CurlDataLoader.Configuration()
        let limits = HostRateLimiter.Limits(rate: 1000, burst: 1000)
        configuration.rateLimiter = limiter ?? HostRateLimiter(limits: limits)
        configuration.observer = { records.add($0) }
        return CurlDataLoader(configuration: configuration)
    }

    @Test("each request on the wire has its record, and the repeated one is answered")
    func records() async throws {
        let (server, records) = (try server(), Records())
        let loader = loader(records)
        for path in ["/a", "/swallowed-1", "/b", "/swallowed-2"] {
            let outcome = await loader.load(server.url(path))
            #expect(outcome.loadingError == nil, "\(path)")
        }
        #expect(server.requests.count == 6)
        #expect(records.all.count == 6)
        #expect(records.all.count { $0.error != nil } == 2)
    }

    @Test("a request is repeated once, on a new connection")
    func once() async throws {
        let (server, records) = (try server(swallowing: 2), Records())
        let loader = loader(records)
        _ = await loader.load(server.url("/a"))
        let outcome = await loader.load(server.url("/swallowed"))
        #expect(outcome.loadingError?.reason == .empty)
        #expect(server.requests.count == 3)
        #expect(records.all.count == 3)
    }

    @Test("a request that is not idempotent is not repeated")
    func post() async throws {
        let (server, records) = (try server(), Records())
        let loader = loader(records)
        _ = await loader.load(server.url("/a"))
        var request = URLRequest(url: server.url("/swallowed"))
        request.httpMethod = "POST"
        request.httpBody = Data("x".utf8)
        let outcome = await loader.load(request)
        #expect(outcome.loadingError?.reason == .empty)
        #expect(server.requests.count == 2 && records.all.count == 2)
    }

    @Test("a host that closes a kept connection is not out of reach")
    func reach() async throws {
        var policy = OutageDetector.Policy()
        policy.hosts = 1
        let limiter = HostRateLimiter(
            limits: .init(),
            hosts: [:],
            idle: nil,
            breaking: nil,
            outage: policy
        )
        let (server, loader) = (try server(), loader(Records(), limiter))
        _ = await loader.load(server.url("/a"))
        var request = URLRequest(url: server.url("/swallowed"))
        request.httpMethod = "POST"
        request.httpBody = Data("x".utf8)
        #expect(await loader.load(request).loadingError?.reason == .empty)
        #expect(!limiter.isOutageSuspected)
    }
}

/// The records of a loader's transfers.
private final class Records: Sendable {
    private let values = Mutex<[TransferRecord]>([])

    var all: [TransferRecord] { values.withLock { $0 } }

    func add(_ record: TransferRecord) {
        values.withLock { $0.append(record) }
    }
}
