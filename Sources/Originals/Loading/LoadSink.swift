package import Foundation
package import FoundationNetworking
import Synchronization

/// The consumer of one load: what it calls travels together through all layers.
package struct LoadSink: Sendable {
    package typealias ReceiveResponse = @Sendable (URLResponse) -> Void
    package typealias ReceiveData = @Sendable (Data, URLResponse) -> Void
    package typealias Receive = @Sendable (Data, ReceivedResponse) -> Void
    package typealias Complete = @Sendable ((any Error)?) -> Void

    /// Receives the head of the answer before the first chunk and the end; nil if the consumer does not want it.
    package let didReceiveResponse: ReceiveResponse?
    /// Receives each chunk of the body, in order, with the response it belongs to.
    package let receive: Receive
    /// Receives the end, once: nil for success.
    package let completion: Complete

    /// Creates a sink that makes Foundation's response only where it needs it.
    package init(
        didReceiveResponse: ReceiveResponse? = nil,
        receive: @escaping Receive,
        completion: @escaping Complete
    ) {
        self.didReceiveResponse = didReceiveResponse
        self.receive = receive
        self.completion = completion
    }

    /// Creates a sink of a consumer that takes Foundation's response with each chunk.
    package init(
        didReceiveResponse: ReceiveResponse? = nil,
        didReceiveData: @escaping ReceiveData,
        completion: @escaping Complete
    ) {
        self.init(
            didReceiveResponse: didReceiveResponse,
            receive: { didReceiveData($0, $1.urlResponse) },
            completion: completion
        )
    }

    /// Receives a chunk with Foundation's response, from a loader that has that alone.
    package var didReceiveData: ReceiveData {
        { [receive] in receive($0, ReceivedResponse($1)) }
    }

    /// Returns the same sink with another receiver of the end.
    package func completing(_ completion: @escaping Complete) -> LoadSink {
        LoadSink(didReceiveResponse: didReceiveResponse, receive: receive, completion: completion)
    }

    /// A sink for a loader that shows no responses: it takes them from the first chunk, or else from the error.
    package var showingResponses: LoadSink {
        guard let didReceiveResponse else { return self }
        let shown = FirstResponse(didReceiveResponse)
        return LoadSink(
            receive: { [receive] chunk, response in
                shown.show(response.urlResponse)
                receive(chunk, response)
            },
            completion: { [completion] error in
                if let response = (error as? DataLoadingError)?.response { shown.show(response) }
                completion(error)
            }
        )
    }
}

/// Shows the first response it is given.
private final class FirstResponse: Sendable {
    private let isShown = Mutex(false)
    private let receive: LoadSink.ReceiveResponse

    init(_ receive: @escaping LoadSink.ReceiveResponse) {
        self.receive = receive
    }

    func show(_ response: URLResponse) {
        let isFirst = isShown.withLock { isShown in
            defer { isShown = true }
            return !isShown
        }
        if isFirst { receive(response) }
    }
}
