import Foundation
import LoopbackServer
import Nuke
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DataLoaderTests {
    @Test func saysWhichStatusItRejects() async throws {
        let server = try LoopbackServer { _ in .status(404) }
        let error = await DataLoader().load(server.url()).error as? DataLoader.Error
        guard case .statusCodeUnacceptable(404)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description == "Response status code was unacceptable: 404")
    }

    @Test func acceptsWhatItsValidationAccepts() async throws {
        let server = try LoopbackServer { _ in .status(404) }
        let loader = DataLoader { _ in nil }
        #expect(await loader.load(server.url()).error == nil)
    }

    @Test func tellsTheDelegateOfItsUser() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let loader = DataLoader()
        let spy = SessionSpy()
        loader.delegate = spy
        #expect(await loader.load(server.url()).error == nil)
        #expect(spy.events == ["response", "data", "end"])
        #expect(loader.delegate === spy)
        #expect(loader.session.sessionDescription == "Nuke URLSession")
    }

    @Test func keepsNuksDefaults() {
        #expect(DataLoader.sharedUrlCache.diskCapacity == 157_286_400)
        #expect(DataLoader.defaultConfiguration.urlCache == nil)
        let loader = DataLoader()
        #expect(!loader.prefersIncrementalDelivery)
        loader.prefersIncrementalDelivery = true
        #expect(loader.prefersIncrementalDelivery)
    }
}

private final class SessionSpy: NSObject, URLSessionDataDelegate, Sendable {
    private let state = Mutex<[String]>([])
    var events: [String] { state.withLock { $0 } }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.append("response") }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.append("data") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { $0.append("end") }
    }
}
