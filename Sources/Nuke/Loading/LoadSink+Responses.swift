import Foundation
import FoundationNetworking
import Synchronization

extension LoadSink {
    /// A sink for a loader that shows no responses: it takes them from the first chunk, or else from the error.
    var showingResponses: LoadSink {
        guard let didReceiveResponse else { return self }
        let isShown = Atomic(false)
        let showFirst: ReceiveResponse = { response in
            if !isShown.exchange(true, ordering: .acquiringAndReleasing) { didReceiveResponse(response) }
        }
        return LoadSink(
            receive: { [receive] chunk, response in
                showFirst(response.urlResponse)
                receive(chunk, response)
            },
            completion: { [completion] error in
                if let response = (error as? DataLoadingError)?.response { showFirst(response) }
                completion(error)
            }
        )
    }
}
