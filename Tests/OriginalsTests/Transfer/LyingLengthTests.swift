import Files
import Foundation
import FoundationNetworking
import LoopbackServer
import Originals
import TestSupport
import Testing

/// Lengths that no body can have: a load fails, and the process goes on.
@Suite(.timeLimit(.minutes(10)))
struct LyingLengthTests {
    private func fetcher(_ storage: BodyStorage = BodyStorage(), limit: Int? = nil) -> OriginalFetcher {
        var configuration = OriginalFetcher.Configuration(
            loader: CurlDataLoader(),
            cache: nil,
            slots: OperationQueue()
        )
        configuration.storage = storage
        configuration.limit = limit
        return OriginalFetcher(configuration)
    }

    @Test(
        "a load of a lying server fails",
        arguments: [
            "Content-Length: 9223372036854775807", "Content-Length: 9223372036854775806",
            "Content-Length: 9223372036854775808",
            "Content-Length: -1", "Content-Length: 99999999999999999999999", "Content-Length: 5, 6",
            "Content-Length: 9223372036854775807\r\nContent-Encoding: gzip",
            "Content-Length: 9223372036854775807\r\nAccept-Ranges: bytes\r\nETag: \"1\"",
        ],
        [true, false]
    )
    func lies(field: String, isInFile: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\n\(field)\r\n\r\nabcdef"
        let server = try LoopbackServer { _ in .init(body: .raw(Data(head.utf8))) }
        let folder = try TemporaryFolder()
        let place = try Folder(path: folder.path)
        let fetcher = fetcher(BodyStorage(folder: isInFile ? place : nil))
        for _ in 0..<2 {
            await #expect(throws: DataLoadingError.self) {
                _ = try await fetcher.fetch(FetchRequest(URLRequest(url: server.url()), key: "lie"))
            }
        }
    }

    @Test("a body is counted as it arrives, in memory and in a file", arguments: [true, false])
    func unknownLength(isInFile: Bool) async throws {
        let pieces = Array(repeating: Data(count: 50_000), count: 30)
        let server = try LoopbackServer { request in
            .init(body: request.path == "/endless" ? .endless(Data(count: 1 << 16)) : .chunked(pieces))
        }
        let folder = try TemporaryFolder()
        let place = try Folder(path: folder.path)
        let storage = BodyStorage(folder: isInFile ? place : nil)
        let tight = fetcher(storage, limit: 1_499_999)
        for path in ["/whole", "/endless"] {
            await #expect(throws: FetchError.tooLarge, "\(path)") {
                _ = try await tight.fetch(FetchRequest(URLRequest(url: server.url(path)), key: path))
            }
        }
        let exact = fetcher(storage, limit: 1_500_000)
        let request = FetchRequest(URLRequest(url: server.url("/whole")), key: "whole")
        #expect(try await exact.fetch(request).data.count == 1_500_000)
    }

    @Test("a rest that claims to be endless continues nothing")
    func endlessRest() async throws {
        let body = Data(count: 2_000_000)
        let server = try LoopbackServer { request in
            if request.headers["range"] != nil {
                let first = request.headers["range"]?.filter(\.isNumber) ?? ""
                let head =
                    "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Length: 9223372036854775807\r\n"
                    + "Content-Range: bytes \(first)-2999999/3000000\r\n\r\nabc"
                return .init(body: .raw(Data(head.utf8)))
            }
            return .init(
                headers: [("ETag", "\"1\""), ("Accept-Ranges", "bytes")],
                body: .truncated(body, declaredLength: 3_000_000)
            )
        }
        let fetcher = fetcher()
        for _ in 0..<3 {
            await #expect(throws: DataLoadingError.self) {
                _ = try await fetcher.fetch(FetchRequest(URLRequest(url: server.url()), key: "lie"))
            }
        }
        #expect(server.requests.contains { $0.headers["range"] != nil })
    }
}
