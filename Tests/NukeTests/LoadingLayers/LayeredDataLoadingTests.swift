import DataLoadingConformance
import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

/// Loaders above loaders, in the queue of a pipeline: what needs no transfer needs no slot in it.
@Suite(.timeLimit(.minutes(10)))
struct LayeredDataLoadingTests {
    enum Network: String, CaseIterable {
        /// Takes its slots by itself.
        case curl
        /// Knows no slots.
        case urlSession

        func make() -> any DataLoading {
            switch self {
            case .curl: CurlDataLoader()
            case .urlSession: DataLoader()
            }
        }
    }

    private let slots = OperationQueue()

    init() {
        slots.maxConcurrentOperationCount = 1
    }

    private func start(
        _ url: URL,
        on loader: some OriginalLoading,
        _ priority: Operation.QueuePriority = .normal
    ) -> (recorder: LoadRecorder, load: any PrioritizedCancellable) {
        let recorder = LoadRecorder()
        let load = loader.load(
            URLRequest(url: url),
            priority: priority,
            slots: slots,
            prepare: nil,
            into: LoadSink(didReceiveData: recorder.receive, completion: recorder.complete)
        )
        return (recorder, load)
    }

    /// Waits until so many transfers wait for a slot.
    private func waiting(_ count: Int) async throws {
        try await eventually { slots.operationCount >= count }
    }

    @Test(arguments: Network.allCases)
    func takesAPlaceForATransferAlone(network: Network) async throws {
        let server = try LoopbackServer { request in
            .init(headers: [("Cache-Control", "max-age=86400")], body: .data(Data(request.path.utf8)))
        }
        // Three layers, through which slots and priorities go.
        let faults = FaultInjectingDataLoader(network.make()) { _, _ in [] }
        let retrying = RetryingDataLoader(faults, clock: TestClock())
        let fixture = HTTPCacheFixture(retrying)
        #expect(await start(server.url("/hit"), on: fixture.loader).recorder.end().text == "/hit")
        // A place is given back just after the end is told.
        try await eventually { slots.operationCount == 0 }
        slots.isSuspended = true
        let hit = await start(server.url("/hit"), on: fixture.loader).recorder.end()
        #expect(hit.text == "/hit")
        #expect(slots.operationCount == 0)
        let low = start(server.url("/low"), on: fixture.loader)
        try await waiting(1)
        let high = start(server.url("/high"), on: fixture.loader)
        let given = start(server.url("/given-up"), on: fixture.loader)
        try await waiting(3)
        low.load.setPriority(.veryLow)
        high.load.setPriority(.veryHigh)
        given.load.cancel()
        #expect(await given.recorder.end().error is CancellationError)
        slots.isSuspended = false
        #expect(await low.recorder.end().text == "/low")
        #expect(await high.recorder.end().text == "/high")
        #expect(server.requests.map(\.path) == ["/hit", "/high", "/low"])
    }

    @Test(arguments: Network.allCases)
    func holdsNoPlaceInAPause(network: Network) async throws {
        let server = try LoopbackServer { request in
            request.path == "/busy" ? .status(503) : .data(Data("free".utf8))
        }
        let clock = TestClock(isHolding: true)
        let loader = RetryingDataLoader(network.make(), clock: clock)
        let busy = start(server.url("/busy"), on: loader)
        await clock.sleeper()
        // There is one slot only.
        #expect(await start(server.url("/free"), on: loader).recorder.end().text == "free")
        busy.load.cancel()
        #expect(await busy.recorder.end().error is CancellationError)
    }

    @Test func asksForNo304ThroughLayersThatHideIt() async throws {
        let server = try LoopbackServer { request in
            request.isConditional
                ? .init(status: 304) : .init(headers: [("ETag", "\"a\"")], body: .data(Data("body".utf8)))
        }
        let fixture = HTTPCacheFixture(RetryingDataLoader(HidingLoader(), clock: TestClock()))
        for _ in 0..<2 { #expect(await fixture.load(server.url()).text == "body") }
        #expect(server.requests.map(\.isConditional) == [false, false])
    }
}

/// Passes on nothing but what the contract asks for.
struct HidingLoader: DataLoading {
    private struct Failure: Error {}

    private let loader = CurlDataLoader()

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        loader.loadData(
            with: request,
            didReceiveData: didReceiveData,
            completion: { error in completion(error.map { _ in Failure() }) }
        )
    }
}
