import Foundation
import LoopbackServer
import Nuke

/// The rules for cancelled loads.
extension Trial {
    private func makeServer() throws -> LoopbackServer {
        try LoopbackServer { request in
            request.path == "/endless" ? .init(body: .endless(Data(count: 4096))) : .data(Data(count: 100))
        }
    }

    func checkCancellationBefore() async throws {
        let server = try makeServer()
        let records = (0..<8).map { _ in LoadRecord() }
        for record in records { record.cancel(start("/endless", of: server, record: record)) }
        // By the end of later loads, the earlier requests have been sent if they ever are.
        for _ in 0..<3 { _ = try await load(server, "/after") }
        try await wait(for: "the end of the transfers of loads that were cancelled at once") {
            server.abandoned.count >= server.requests.filter { $0.path == "/endless" }.count
        }
        for record in records { try requireCancelled(record, begun: 1) }
    }

    func checkCancellationDuring() async throws {
        let server = try makeServer()
        let record = LoadRecord()
        let load = start("/endless", of: server, record: record)
        try await wait(for: "the first bytes") { !record.told.body.isEmpty }
        record.cancel(load)
        load.cancel()
        let inside = LoadRecord()
        inside.cancelInCallback(start("/endless", of: server, record: inside))
        try await wait(for: "the end of the transfers of loads that were cancelled") {
            server.abandoned.count >= 2
        }
        // Late callbacks arrive before the end of later loads.
        for _ in 0..<3 { _ = try await self.load(server, "/after") }
        try requireCancelled(record, begun: 1)
        try requireCancelled(inside, begun: 0)
    }

    func checkCancellationAfter() async throws {
        let server = try makeServer()
        let record = LoadRecord()
        let load = start("/body", of: server, record: record)
        try await wait(for: "the end") { record.told.completions > 0 }
        load.cancel()
        load.cancel()
        _ = try await self.load(server, "/after")
        let told = record.told
        try require(told.completions == 1, "the end was told \(told.completions) times")
        try require(!told.isLate, "something was told after the end")
        try require(
            told.error == nil && told.body.count == 100,
            "the load had ended well, and does so no more"
        )
    }

    /// Requires that a load of an endless body called nothing after it was cancelled, except for callbacks that may have
    /// begun before.
    private func requireCancelled(_ record: LoadRecord, begun: Int) throws {
        let told = record.told
        try require(
            told.completions == 0 || told.error != nil,
            "a cancelled load of an endless body was a success"
        )
        try require(told.completions == 0, "the end of a cancelled load was told")
        try require(told.afterCancel <= begun, "bytes of a cancelled load were delivered")
    }
}
