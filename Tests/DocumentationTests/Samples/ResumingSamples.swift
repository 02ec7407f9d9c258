import LoopbackServer
import Nuke
import Synchronization
import Testing

@Suite("Samples: resumable downloads", .timeLimit(.minutes(10)))
struct ResumingSamples {
    /// Gives the first half and breaks off, then whatever is asked for.
    private func server(_ photo: Data) throws -> LoopbackServer {
        let isFirst = Mutex(true)
        return try LoopbackServer { request in
            let breaks = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard breaks else { return .resource(photo, type: "image/jpeg", etag: "\"1\"", for: request) }
            return .init(
                headers: [("ETag", "\"1\""), ("Accept-Ranges", "bytes")],
                body: .truncated(photo.prefix(photo.count / 2), declaredLength: photo.count)
            )
        }
    }

    @Test func pipeline() async throws {
        let photo = try Photographs.jpeg()
        let server = try server(photo)
        let url = server.url("/photo.jpg")
        let pipeline = ImagePipeline { $0.dataLoader = CurlDataLoader() }
        // sample
        let request = ImageRequest(url: url)
        let data: Data
        do {
            data = try await pipeline.data(for: request).0
        } catch ImagePipeline.Error.dataLoadingFailed {
            // Only the rest is asked for.
            data = try await pipeline.data(for: request).0
        }
        // end
        #expect(data == photo)
        // The last 16 KiB come twice, to be compared.
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=\(photo.count / 2 - 16_384)-"])
        #expect(server.requests.last?.headers["if-range"] == "\"1\"")
    }

    @Test func switchedOff() async throws {
        let photo = try Photographs.jpeg()
        let server = try server(photo)
        let request = ImageRequest(url: server.url("/photo.jpg"))
        // sample
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.isResumableDataEnabled = false
        }
        // end
        await #expect(throws: ImagePipeline.Error.self) { try await pipeline.data(for: request) }
        #expect(try await pipeline.data(for: request).0 == photo)
        #expect(server.requests.map { $0.headers["range"] } == [nil, nil])
    }

    @Test func byHand() throws {
        let url = try #require(URL(string: "http://example.com/photo.jpg"))
        let data = Data(count: 600)
        let response = try #require(
            HTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: "HTTP/1.1",
                headerFields: ["Content-Length": "1000", "Accept-Ranges": "bytes", "ETag": "\"1\""]
            )
        )
        let rest = try #require(
            HTTPURLResponse(
                url: url,
                statusCode: 206,
                httpVersion: "HTTP/1.1",
                headerFields: ["Content-Range": "bytes 600-999/1000", "ETag": "\"1\""]
            )
        )
        // sample
        guard let partial = ResumableData(response: response, data: data) else { return }
        var request = URLRequest(url: url)
        partial.resume(request: &request)
        let isContinued = { (answer: URLResponse) in
            ResumableData.isResumedResponse(answer) && partial.isContinued(by: answer)
        }
        // end
        #expect(request.value(forHTTPHeaderField: "Range") == "bytes=600-")
        #expect(request.value(forHTTPHeaderField: "If-Range") == "\"1\"")
        #expect(isContinued(rest))
        #expect(!isContinued(response))
    }
}
