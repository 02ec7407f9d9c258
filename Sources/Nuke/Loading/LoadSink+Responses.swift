import Foundation
import FoundationNetworking
import Synchronization

extension LoadSink {
    /// A sink for a loader that shows no responses: it takes them from the first chunk, or else from the error.
    var showingResponses: LoadSink {
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
