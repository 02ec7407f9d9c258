package import Foundation
package import FoundationNetworking

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
    package var didReceiveData: ReceiveData { { [receive] in receive($0, ReceivedResponse($1)) } }

    /// Returns the same sink with another receiver of the end.
    package func completing(_ completion: @escaping Complete) -> LoadSink {
        LoadSink(didReceiveResponse: didReceiveResponse, receive: receive, completion: completion)
    }
}
