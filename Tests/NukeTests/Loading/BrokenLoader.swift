import DataLoadingConformance
import Foundation
import Nuke
import Synchronization

/// A loader that keeps all rules of the contract but one.
final class BrokenLoader: DataLoading {
    private let loader = CurlDataLoader()
    private let indifferent = DataLoader(validate: { _ in nil })
    private let rule: DataLoadingConformance.Rule

    init(breaking rule: DataLoadingConformance.Rule) {
        self.rule = rule
    }

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        let kept = KeptBody()
        let load: any Cancellable
        switch rule {
        case .order, .incrementalDelivery:
            load = loader.loadData(with: request, didReceiveData: kept.keep) { [rule] error in
                let (body, response) = kept.body
                // The second half before the first.
                let half = rule == .order ? body.count / 2 : 0
                if let response {
                    for part in [body[half...], body[..<half]] where !part.isEmpty {
                        didReceiveData(Data(part), response)
                    }
                }
                completion(error)
            }
        case .threading:
            load = loader.loadData(with: request) { data, response in
                Thread.detachNewThread { didReceiveData(data, response) }
            } completion: {
                completion($0)
            }
        case .oneCompletion:
            load = loader.loadData(with: request, didReceiveData: didReceiveData) { error in
                completion(error)
                completion(error)
            }
        case .cancellationBefore, .cancellationDuring:
            _ = loader.loadData(with: request, didReceiveData: didReceiveData, completion: completion)
            return Cancelling {}
        case .cancellationAfter:
            let inner = loader.loadData(
                with: request,
                didReceiveData: didReceiveData,
                completion: completion
            )
            return Cancelling {
                inner.cancel()
                completion(CancellationError())
            }
        case .emptyBody:
            load = loader.loadData(with: request) { data, response in
                kept.keep(data, response)
                didReceiveData(data, response)
            } completion: { error in
                let isEmpty = error == nil && kept.body.0.isEmpty
                completion(isEmpty ? URLError(.zeroByteResource) : error)
            }
        case .rejectedStatus:
            load = indifferent.loadData(
                with: request,
                didReceiveData: didReceiveData,
                completion: completion
            )
        case .cutBody, .noServer:
            load = loader.loadData(with: request, didReceiveData: didReceiveData) { _ in completion(nil) }
        case .request:
            var bare = URLRequest(url: URL(fileURLWithPath: "/"))
            bare.url = request.url
            load = loader.loadData(with: bare, didReceiveData: didReceiveData, completion: completion)
        case .response:
            load = loader.loadData(with: request) { data, response in
                let bare = URLResponse(
                    url: URL(fileURLWithPath: "/"),
                    mimeType: nil,
                    expectedContentLength: -1,
                    textEncodingName: nil
                )
                didReceiveData(data, bare)
            } completion: {
                completion($0)
            }
        case .manyAtOnce:
            var first = request
            first.url = URL(string: "/0", relativeTo: request.url)
            load = loader.loadData(with: first, didReceiveData: didReceiveData, completion: completion)
        }
        return load
    }
}

/// A loader that goes on telling of a load that was cancelled.
struct TalkativeLoader: DataLoading {
    private let loader = CurlDataLoader()
    private let manner: DataLoadingConformanceTests.Manner

    init(_ manner: DataLoadingConformanceTests.Manner) {
        self.manner = manner
    }

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        let kept = KeptBody()
        let inner = loader.loadData(with: request) { data, response in
            kept.keep(data, response)
            didReceiveData(data, response)
        } completion: {
            completion($0)
        }
        return Cancelling { [manner] in
            inner.cancel()
            switch manner {
            case .endAtOnce: completion(CancellationError())
            case .endLater: Task { completion(URLError(.cancelled)) }
            case .endAfterBytes: if kept.body.1 != nil { completion(CancellationError()) }
            case .chunksLater:
                guard let response = kept.body.1 else { return }
                Task { for _ in 0..<2 { didReceiveData(Data([1]), response) } }
            }
        }
    }
}

/// A loader that tells nothing, ever.
final class SilentLoader: DataLoading {
    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        Cancelling {}
    }
}

private struct Cancelling: Cancellable {
    let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func cancel() {
        action()
    }
}

/// A body that is kept instead of delivered.
private final class KeptBody: Sendable {
    private let state = Mutex<(Data, URLResponse?)>((Data(), nil))

    var body: (Data, URLResponse?) { state.withLock { $0 } }

    @Sendable func keep(_ data: Data, _ response: URLResponse) {
        state.withLock {
            $0.0.append(data)
            $0.1 = response
        }
    }
}
