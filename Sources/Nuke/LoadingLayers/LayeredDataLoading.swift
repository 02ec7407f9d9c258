package import Foundation
package import FoundationNetworking

/// A loader that wraps another and does its part through a ``LoadDelivery``.
package protocol LayeredDataLoading: ResponseReportingDataLoading, OriginalLoading {
    var loader: any DataLoading { get }

    /// Loads for `delivery`.
    /// - Returns: `delivery`.
    func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery
}

extension LayeredDataLoading {
    /// Starts loading.
    ///
    /// It fails with the errors that the loader's description names.
    public func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        let sink = LoadSink(didReceiveData: didReceiveData, completion: completion)
        return ConsumerLoad(for: sink) { begin(request, for: LoadDelivery(to: $0)) }
    }

    /// Starts loading, and shows the response before the first chunk or the end, if there is one.
    public func loadData(
        with request: URLRequest,
        didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        let sink = LoadSink(
            didReceiveResponse: didReceiveResponse,
            didReceiveData: didReceiveData,
            completion: completion
        )
        return ConsumerLoad(for: sink) { begin(request, for: LoadDelivery(to: $0)) }
    }

    /// True if the wrapped loader has one.
    package var hasRateLimiter: Bool { loader.original.hasRateLimiter }

    /// Starts loading in slots of a queue.
    ///
    /// The layers must see the request as it is sent, so it is prepared before them, in a slot of its own.
    package func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        let delivery = LoadDelivery(to: sink, slots: slots, priority: priority)
        guard let prepare else { return begin(request, for: delivery) }
        begin(request, preparedBy: prepare, for: delivery)
        return delivery
    }

    /// Loads for `delivery` what `prepare` returns, which is called in a slot.
    func begin(
        _ request: URLRequest,
        preparedBy prepare: @escaping RequestPreparation,
        for delivery: LoadDelivery
    ) {
        guard let slots = delivery.slots else { preconditionFailure("a prepared load has slots") }
        delivery.begin {
            SlottedLoad(
                in: slots,
                priority: delivery.priority,
                completion: { error in if let error { delivery.finish(error) } },
                start: { end in
                    let prepared = try await prepare(request)
                    end(nil)
                    if !delivery.isOver { _ = begin(prepared, for: delivery) }
                    return nil
                }
            )
        }
    }
}

extension DataLoading {
    /// True if the heads of answers come through all layers.
    var showsResponses: Bool {
        (self as? any LayeredDataLoading)?.loader.showsResponses ?? (self is any ResponseReportingDataLoading)
    }

    /// Starts a transfer of a load, in a slot of its own if the load uses slots.
    ///
    /// The response is shown only if the loader can show it. A loader that knows no slots begins when one is free.
    package func start(
        _ request: URLRequest,
        for delivery: LoadDelivery,
        into sink: LoadSink
    ) -> any Cancellable {
        if let loader = self as? any LayeredDataLoading {
            let inner = LoadDelivery(to: sink, slots: delivery.slots, priority: delivery.priority)
            return loader.begin(request, for: inner)
        }
        guard let slots = delivery.slots else { return load(request, into: sink) }
        if let loader = self as? any OriginalLoading {
            return loader.load(
                request,
                priority: delivery.priority,
                slots: slots,
                prepare: nil,
                into: sink.showingResponses
            )
        }
        return SlottedLoad(in: slots, priority: delivery.priority, completion: sink.completion) {
            [self] end in
            load(request, into: sink.completing(end))
        }
    }
}
