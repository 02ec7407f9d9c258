import LoopbackServer
import Nuke
import Synchronization
import Testing

/// Images that only those may have who say who they are.
@Suite("Guide: authentication", .timeLimit(.minutes(10)))
struct AuthenticationGuideTests {
    /// Gives out tokens, of which the server takes only the newest.
    private actor TokenStore {
        private(set) var refreshes = 0
        private var token: String?

        func current() -> String {
            if let token { return token }
            refreshes += 1
            let fresh = "token-\(refreshes)"
            token = fresh
            return fresh
        }

        func invalidate() { token = nil }
    }

    private final class Authenticator: ImagePipelineDelegate {
        let store = TokenStore()

        func willLoadData(
            for request: ImageRequest,
            urlRequest: URLRequest,
            pipeline: ImagePipeline
        ) async throws -> URLRequest {
            var urlRequest = urlRequest
            let token = await store.current()
            urlRequest.addValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return urlRequest
        }
    }

    /// A loader that asks once more with a new token where the server refuses the old one.
    private struct ReauthorizingLoader: DataLoading {
        let loader: any DataLoading
        let store: TokenStore

        func loadData(
            with request: URLRequest,
            didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) -> any Cancellable {
            let current = Current()
            let first = loader.loadData(with: request, didReceiveData: didReceiveData) { error in
                guard case .statusCodeUnacceptable(401) = error as? DataLoader.Error else {
                    return completion(error)
                }
                Task {
                    await store.invalidate()
                    var request = request
                    let token = await store.current()
                    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                    current.set(
                        loader.loadData(with: request, didReceiveData: didReceiveData, completion: completion)
                    )
                }
            }
            current.setFirst(first)
            return current
        }
    }

    /// The load that runs at the moment.
    private final class Current: Cancellable {
        private let state = Mutex<(load: (any Cancellable)?, isCancelled: Bool)>((nil, false))

        func setFirst(_ load: any Cancellable) {
            let isCancelled = state.withLock { state in
                state.load = state.load ?? load
                return state.isCancelled
            }
            if isCancelled { load.cancel() }
        }

        func set(_ load: any Cancellable) {
            let isCancelled = state.withLock { state in
                state.load = load
                return state.isCancelled
            }
            if isCancelled { load.cancel() }
        }

        func cancel() {
            let load = state.withLock { state in
                state.isCancelled = true
                return state.load
            }
            load?.cancel()
        }
    }

    private func server(accepting token: String) throws -> LoopbackServer {
        let photo = try Photographs.jpeg()
        return try LoopbackServer { request in
            request.headers["authorization"] == "Bearer \(token)"
                ? .data(photo, type: "image/jpeg") : .status(401)
        }
    }

    @Test func signsEveryLoad() async throws {
        let server = try server(accepting: "token-1")
        let delegate = Authenticator()
        let cache = ImageCache()
        let pipeline = ImagePipeline(delegate: delegate) { $0.imageCache = cache }
        for number in 0..<3 {
            #expect(try await pipeline.image(for: server.url("/\(number)")).width == 640)
        }
        #expect(await delegate.store.refreshes == 1)
        // The token is in no key, and not in the request that the task shows.
        let plain = ImageRequest(url: server.url("/0"))
        #expect(cache[ImageCacheKey(request: plain)] != nil)
        let response = try await pipeline.imageTask(with: plain).response
        #expect(response.request.urlRequest?.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(server.requests.count == 3)
    }

    @Test func refreshesATokenThatIsRefused() async throws {
        let server = try server(accepting: "token-2")
        let delegate = Authenticator()
        let pipeline = ImagePipeline(delegate: delegate) {
            $0.dataLoader = ReauthorizingLoader(loader: DataLoader(), store: delegate.store)
            $0.imageCache = nil
        }
        #expect(try await pipeline.image(for: server.url("/photo.jpg")).width == 640)
        #expect(
            server.requests.map { $0.headers["authorization"] } == ["Bearer token-1", "Bearer token-2"]
        )
    }

    @Test func tellsWhoIsRefusedForGood() async throws {
        let server = try server(accepting: "nobody's")
        let delegate = Authenticator()
        let pipeline = ImagePipeline(delegate: delegate) {
            $0.dataLoader = ReauthorizingLoader(loader: DataLoader(), store: delegate.store)
            $0.imageCache = nil
        }
        do {
            _ = try await pipeline.image(for: server.url("/photo.jpg"))
            Issue.record("the image of a page that refuses")
        } catch {
            guard case .dataLoadingFailed(let cause) = error,
                case .statusCodeUnacceptable(let status) = cause as? DataLoader.Error
            else { throw error }
            #expect(status == 401)
            #expect("\(error)".contains("Response status code was unacceptable: 401"))
        }
        #expect(server.requests.count == 2)
    }

    @Test func whatTheDelegateThrowsEndsTheLoad() async throws {
        struct SignedOut: Error {}
        final class Nobody: ImagePipeline.Delegate {
            func willLoadData(
                for request: ImageRequest,
                urlRequest: URLRequest,
                pipeline: ImagePipeline
            ) async throws -> URLRequest { throw SignedOut() }
        }
        let server = try Photographs.server()
        let pipeline = ImagePipeline(delegate: Nobody()) { $0.imageCache = nil }
        do {
            _ = try await pipeline.image(for: server.url("/photo.jpg"))
            Issue.record("an image without a token")
        } catch {
            #expect(error.dataLoadingError is SignedOut)
        }
        #expect(server.requests.isEmpty)
    }

    // MARK: signed URLs

    /// Takes the signature out of the keys.
    private final class Unsigned: ImagePipeline.Delegate {
        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
            guard let url = request.url,
                var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
            else { return nil }
            parts.queryItems = parts.queryItems?.filter { $0.name != "signature" }
            let key = parts.string ?? url.absoluteString
            // The key stands for the processed image as well as for the data.
            return ([key] + request.processors.map(\.identifier)).joined(separator: "|")
        }
    }

    @Test func signaturesHaveNoInfluenceOnKeys() async throws {
        let server = try Photographs.server()
        let pipeline = ImagePipeline(delegate: Unsigned()) { $0.imageCache = ImageCache() }
        for signature in ["1a", "2b", "3c"] {
            let request = ImageRequest(
                url: server.url("/photo.jpg?id=1&signature=\(signature)"),
                processors: [.resize(width: 64)]
            )
            #expect(try await pipeline.image(for: request).width == 64)
        }
        #expect(server.requests.count == 1)
        let other = server.url("/photo.jpg?id=2&signature=1a")
        #expect(try await pipeline.image(for: other).width == 640)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [true, false])
    func anImageIDStandsForTheURL(isByUserInfo: Bool) async throws {
        let server = try Photographs.server()
        let pipeline = ImagePipeline { $0.imageCache = ImageCache() }
        for signature in ["1a", "2b"] {
            let url = server.url("/photo.jpg?signature=\(signature)")
            var request = ImageRequest(url: url, userInfo: isByUserInfo ? [.imageIdKey: "photo"] : [:])
            if !isByUserInfo { request.imageID = "photo" }
            #expect(request.imageId == "photo")
            _ = try await pipeline.image(for: request)
        }
        #expect(server.requests.count == 1)
    }
}
