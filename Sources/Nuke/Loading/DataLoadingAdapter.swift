import Foundation
import FoundationNetworking

extension DataLoading {
    /// The loader as a fetch of originals needs it.
    var original: any OriginalLoading { (self as? any OriginalLoading) ?? DataLoadingAdapter(loader: self) }
}

/// A loader that knows no slots: its load begins when there is one, in which the request is prepared, too.
private struct DataLoadingAdapter: OriginalLoading {
    let loader: any DataLoading

    var hasRateLimiter: Bool { false }

    func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        SlottedLoad(in: slots, priority: priority, completion: sink.completion) { end in
            let sink = sink.completing(end)
            guard let prepare else { return loader.load(request, into: sink) }
            let prepared = try await prepare(request)
            try Task.checkCancellation()
            return loader.load(prepared, into: sink)
        }
    }
}
