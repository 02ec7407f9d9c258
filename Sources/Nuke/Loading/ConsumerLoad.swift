import Foundation
import FoundationNetworking
import Synchronization

/// A load as the public API hands it out: nothing is called any more once it was cancelled.
///
/// The library's own layers do hear the end of a load that they cancel (`OriginalLoading`): by it they release what
/// the load holds, and log it.
final class ConsumerLoad: Cancellable {
    /// The consumer until the end or the cancellation; only the first of these counts.
    private final class Gate: Sendable {
        private let consumer: Mutex<LoadSink?>

        init(_ consumer: LoadSink) { self.consumer = Mutex(consumer) }

        var sink: LoadSink {
            let respond: LoadSink.ReceiveResponse = { self.current?.didReceiveResponse?($0) }
            let receive: LoadSink.Receive = { self.current?.receive($0, $1) }
            return LoadSink(
                didReceiveResponse: current?.didReceiveResponse == nil ? nil : respond,
                receive: receive,
                completion: { self.close()?.completion($0) }
            )
        }

        private var current: LoadSink? { consumer.withLock { $0 } }

        @discardableResult
        func close() -> LoadSink? {
            consumer.withLock { $0.take() }
        }
    }

    private let gate: Gate
    private let load: any Cancellable

    /// Starts a load for `consumer` with the sink that `start` is given.
    init(for consumer: LoadSink, _ start: (LoadSink) -> any Cancellable) {
        gate = Gate(consumer)
        load = start(gate.sink)
    }

    func cancel() {
        gate.close()
        load.cancel()
    }
}
