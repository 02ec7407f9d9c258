import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
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

    @Test func takesSchemesInAnyCase() async throws {
        let server = try LoopbackServer { request in
            let target = "HTTP://\(request.headers["host"] ?? "")/end"
            return request.path == "/moved" ? .redirect(to: target) : .data(Data(request.path.utf8))
        }
        for path in ["/here", "/moved"] {
            let text = server.url(path).absoluteString.replacingOccurrences(of: "http:", with: "HTTP:")
            let outcome = await DataLoader().load(try #require(URL(string: text)))
            #expect(outcome.error == nil && outcome.text == (path == "/moved" ? "/end" : path))
        }
    }

    /// With 125 for an answer, Foundation's own client ends the process.
    @Test(arguments: ["125 already open", "150 coming"])
    func loadsFromAnFTPServer(opening: String) async throws {
        let file = Data("a photograph".utf8)
        let server = FTPServer(file: file, opening: opening)
        let loader = DataLoader()
        for scheme in ["ftp", "FTP"] {
            let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(server.port)/photo.jpg"))
            let outcome = await loader.load(url)
            #expect(outcome.error == nil && outcome.body == file)
        }
        let missing = try #require(URL(string: "ftp://127.0.0.1:\(server.port)/missing"))
        #expect(await loader.load(missing).loadingError?.reason == .notFound)
        let encrypted = try #require(URL(string: "ftps://127.0.0.1:\(server.port)/photo.jpg"))
        #expect(await loader.load(encrypted).loadingError?.reason == .scheme)
        withExtendedLifetime(server) {}
    }

    @Test func keepsNuksDefaults() {
        #expect(DataLoader.defaultConfiguration.urlCache === DataLoader.sharedUrlCache)
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
