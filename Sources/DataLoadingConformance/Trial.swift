import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke

/// One loader tested against one rule.
struct Trial: Sendable {
    /// A violation of a rule.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let loader: any DataLoading
    let url: @Sendable (URL) -> URL
    let timeLimit: Duration

    func check(_ rule: DataLoadingConformance.Rule) async throws {
        switch rule {
        case .order: try await checkOrder()
        case .threading: try await checkThreading()
        case .oneCompletion: try await checkOneCompletion()
        case .cancellationBefore: try await checkCancellationBefore()
        case .cancellationDuring: try await checkCancellationDuring()
        case .cancellationAfter: try await checkCancellationAfter()
        case .incrementalDelivery: try await checkIncrementalDelivery()
        case .emptyBody: try await checkEmptyBody()
        case .rejectedStatus: try await checkRejectedStatus()
        case .cutBody: try await checkCutBody()
        case .noServer: try await checkNoServer()
        case .request: try await checkRequest()
        case .response: try await checkResponse()
        case .manyAtOnce: try await checkManyAtOnce()
        }
    }

    /// Starts a load.
    func start(_ path: String, of server: LoopbackServer, record: LoadRecord) -> any Cancellable {
        start(URLRequest(url: server.url(path)), record: record)
    }

    func start(_ request: URLRequest, record: LoadRecord) -> any Cancellable {
        var request = request
        request.url = request.url.map(url)
        return loader.loadData(with: request, didReceiveData: record.receive, completion: record.complete)
    }

    /// Runs a load to its end.
    func load(_ server: LoopbackServer, _ path: String, dwell: UInt32 = 0) async throws -> LoadRecord.Told {
        try await load(URLRequest(url: server.url(path)), path, dwell: dwell)
    }

    func load(_ request: URLRequest, _ name: String, dwell: UInt32 = 0) async throws -> LoadRecord.Told {
        let record = LoadRecord(dwell: dwell)
        let load = start(request, record: record)
        defer { withExtendedLifetime(load) {} }
        try await wait(for: "the end of \(name)") { record.told.completions > 0 }
        return record.told
    }

    /// Suspends until `condition` returns true.
    ///
    /// A machine that stands still, or has no turn for this process, is not the loader's fault: a look counts for a second at most.
    /// - Throws: ``Failure`` after the time limit.
    func wait(for what: String, _ condition: () -> Bool) async throws {
        var waited = Duration.zero
        while !condition() {
            try require(waited < timeLimit, "\(what) did not come within \(timeLimit)")
            let pause = try await ContinuousClock().measure { try await Task.sleep(for: .milliseconds(1)) }
            waited += min(pause, .seconds(1))
        }
    }

    func require(_ condition: Bool, _ failure: @autoclosure () -> String) throws {
        guard condition else { throw Failure(description: failure()) }
    }
}
