import Nuke
import Testing

@Suite("API: loading")
struct LoadingAPITests {
    private struct Stopped: Cancellable { func cancel() {} }

    /// A loader as users write it, with the one required method.
    private struct Loader: DataLoading {
        func loadData(
            with request: URLRequest,
            didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
            completion: @escaping @Sendable ((any Swift.Error)?) -> Void
        ) -> any Cancellable {
            completion(nil)
            return Stopped()
        }
    }

    private typealias Load = (
        URLRequest, @escaping @Sendable (Data, URLResponse) -> Void,
        @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable

    @Test func protocols() {
        let loader: any DataLoading & Sendable = Loader()
        let load: Load = loader.loadData(with:didReceiveData:completion:)
        let cancellable: any Cancellable & Sendable = load(URLRequest(url: nowhere), { _, _ in }, { _ in })
        let cancel: () -> Void = cancellable.cancel
        cancel()
        #expect(cancellable is Stopped)
    }

    @Test func dataLoader() {
        sendable(DataLoader.self)
        let loader = DataLoader()
        let session: KeyPath<DataLoader, URLSession> = \.session
        let incremental: ReferenceWritableKeyPath<DataLoader, Bool> = \.prefersIncrementalDelivery
        let delegate: ReferenceWritableKeyPath<DataLoader, (any URLSessionDelegate)?> = \.delegate
        let configuration: URLSessionConfiguration = DataLoader.defaultConfiguration
        let validate: @Sendable (URLResponse) -> (any Swift.Error)? = DataLoader.validate(response:)
        let cache: () -> URLCache = { DataLoader.sharedUrlCache }
        let load: Load = loader.loadData(with:didReceiveData:completion:)
        #expect(isReadOnly(session) && !loader[keyPath: incremental] && loader[keyPath: delegate] == nil)
        #expect(validate(noResponse) == nil)
        // Not called, since it opens a cache of the user's.
        _ = (load, cache)
        let others = [
            DataLoader(configuration: configuration), DataLoader(validate: validate),
            DataLoader(configuration: .ephemeral, validate: { _ in nil }),
        ]
        #expect(others.allSatisfy { $0[keyPath: session] !== loader.session })
        failure(DataLoader.Error.self)
        switch DataLoader.Error.statusCodeUnacceptable(404) {
        case .statusCodeUnacceptable(let status): #expect(status == 404)
        }
        let text: String = DataLoader.Error.statusCodeUnacceptable(404).description
        #expect(text == "Response status code was unacceptable: 404")
    }

    @Test func resumableData() throws {
        sendable(ResumableData.self)
        let make: (URLResponse, Data) -> ResumableData? = ResumableData.init(response:data:)
        let isResumed: (URLResponse) -> Bool = ResumableData.isResumedResponse(_:)
        let data: KeyPath<ResumableData, Data> = \.data
        let validator: KeyPath<ResumableData, String> = \.validator
        #expect(isReadOnly(data) && isReadOnly(validator))
        let response = try #require(
            HTTPURLResponse(
                url: nowhere,
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Accept-Ranges": "bytes", "Content-Length": "10", "ETag": "\"a\""]
            )
        )
        let part = try #require(make(response, Data(count: 4)))
        let resume: (inout URLRequest) -> Void = part.resume(request:)
        var request = URLRequest(url: nowhere)
        resume(&request)
        #expect(request.value(forHTTPHeaderField: "Range") == "bytes=4-")
        #expect(request.value(forHTTPHeaderField: "If-Range") == part[keyPath: validator])
        #expect(!isResumed(response) && part[keyPath: data].count == 4)
    }
}
