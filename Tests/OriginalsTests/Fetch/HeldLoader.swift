import Files
import Foundation
import FoundationNetworking
import Originals
import Synchronization
import Testing

/// A loader whose loads the test itself answers, chunk by chunk, once they have a slot.
final class HeldLoader: OriginalLoading {
    /// One load that was asked for.
    final class Load: PrioritizedCancellable {
        let request: URLRequest
        private let slot = SlotOperation()
        private let sink: LoadSink

        init(_ request: URLRequest, into sink: LoadSink) {
            (self.request, self.sink) = (request, sink)
        }

        func begin(
            in slots: OperationQueue,
            _ priority: Operation.QueuePriority,
            _ begun: @escaping @Sendable () -> Void
        ) {
            slot.queuePriority = priority
            Task {
                do {
                    try await slot.begin(in: slots)
                    begun()
                } catch {
                    sink.completion(error)
                }
            }
        }

        func setPriority(_ priority: Operation.QueuePriority) { slot.queuePriority = priority }

        func cancel() { end(CancellationError()) }

        func send(_ chunk: Data, of total: Int, status: Int = 200, headers: [String: String] = [:]) {
            let fields = headers.merging(["Content-Length": "\(total)"]) { first, _ in first }
            guard let url = request.url,
                let response = HTTPURLResponse(
                    url: url,
                    statusCode: status,
                    httpVersion: "HTTP/1.1",
                    headerFields: fields
                )
            else { return }
            sink.didReceiveData(chunk, response)
        }

        func end(_ error: (any Error)? = nil) {
            slot.finish()
            sink.completion(error)
        }

        func answer(_ data: Data) {
            send(data, of: data.count)
            end()
        }
    }

    private let loads = Mutex<[Load]>([])

    var hasRateLimiter: Bool { true }

    func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        let load = Load(request, into: sink)
        load.begin(in: slots, priority) { [self] in loads.withLock { $0.append(load) } }
        return load
    }

    /// The number of loads that got a slot.
    var count: Int { loads.withLock { $0.count } }

    /// The load of this number, from 0, once it has its slot; nil if the test's time is over.
    func load(_ number: Int) async throws -> Load {
        while true {
            if let load = loads.withLock({ $0.indices.contains(number) ? $0[number] : nil }) { return load }
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
