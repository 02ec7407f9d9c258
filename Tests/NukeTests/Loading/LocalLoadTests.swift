import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LocalLoadTests {
    private func loader(maxBytes: Int? = nil) -> CurlDataLoader {
        var configuration = CurlDataLoader.Configuration()
        configuration.schemes = ["http", "file", "data"]
        configuration.limits.maxBytes = maxBytes
        return CurlDataLoader(configuration: configuration)
    }

    @Test func readsFiles() async throws {
        let folder = try TemporaryFolder()
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let path = try folder.write(bytes, to: "a b.bin")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: path)
        for name in ["a b.bin", "link"] {
            let outcome = await loader().load(URL(fileURLWithPath: folder.path(name)))
            #expect(outcome.error == nil)
            #expect(outcome.body == bytes)
            #expect(outcome.response?.expectedContentLength == 300_000)
            #expect(outcome.completions == 1)
        }
        try folder.write("", to: "empty")
        let empty = await loader().load(URL(fileURLWithPath: folder.path("empty")))
        #expect(empty.error == nil && empty.chunks.isEmpty)
    }

    @Test func namesWhyAFileIsNotRead() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("0123456789", to: "ten")
        mkfifo(folder.path("pipe"), 0o600)
        let cases: [(String, DataLoadingError.Reason)] = [
            ("file://" + folder.path("missing"), .notFound), ("file://" + folder.path, .notFound),
            ("file://" + folder.path("pipe"), .notFound), ("file://elsewhere.example" + path, .badURL),
            ("file://" + path + "%00.png", .badURL), ("file:///", .notFound),
        ]
        for (text, reason) in cases {
            let outcome = await loader().load(try #require(URL(string: text)))
            #expect(outcome.loadingError?.reason == reason, "\(text): \(String(describing: outcome.error))")
            #expect(outcome.completions == 1)
        }
        #expect(await loader(maxBytes: 9).load(URL(fileURLWithPath: path)).loadingError?.reason == .tooLarge)
        #expect(await loader(maxBytes: 10).load(URL(fileURLWithPath: path)).error == nil)
    }

    @Test(arguments: [
        ("data:,A%20brief%20note", "A brief note", "text/plain"),
        ("data:text/html;charset=utf-8;base64,PGI+", "<b>", "text/html"),
        ("DATA:image/png,x", "x", "image/png"),
    ])
    func readsDataURLs(text: String, body: String, type: String) async throws {
        let outcome = await loader().load(try #require(URL(string: text)))
        #expect(outcome.error == nil)
        #expect(outcome.body == Data(body.utf8))
        #expect(outcome.response?.mimeType == type)
    }

    @Test func refusesDataURLsThatAreNone() async throws {
        #expect(await loader().load(try #require(URL(string: "data:x"))).loadingError?.reason == .badURL)
        let long = try #require(URL(string: "data:,12345"))
        #expect(await loader(maxBytes: 4).load(long).loadingError?.reason == .tooLarge)
    }

    @Test(arguments: ["file:///etc/passwd", "file://localhost/etc/passwd", "data:,x"])
    func noRedirectLeadsToThisMachine(target: String) async throws {
        let server = try LoopbackServer { _ in .redirect(to: target) }
        let outcome = await loader().load(server.url())
        #expect([.scheme, .badURL].contains(outcome.loadingError?.reason))
        #expect(outcome.chunks.isEmpty)
    }

    @Test func aCancelledLoadDeliversNothing() async throws {
        let slots = OperationQueue()
        slots.isSuspended = true
        let recorder = LoadRecorder()
        let load = loader().load(
            URLRequest(url: try #require(URL(string: "data:,x"))),
            priority: .normal,
            slots: slots,
            prepare: nil,
            into: LoadSink(didReceiveData: recorder.receive, completion: recorder.complete)
        )
        load.cancel()
        let outcome = await recorder.end()
        #expect(outcome.error is CancellationError)
        #expect(outcome.chunks.isEmpty)
    }
}
