import Foundation
import FoundationNetworking

/// A loader that stands above another and does its part through a ``LoadDelivery``.
protocol LayeredDataLoading: ResponseReportingDataLoading, SlottedDataLoading {
    /// The loader below.
    var loader: any DataLoading { get }

    /// Loads for `delivery`.
    /// - Returns: `delivery`.
    func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery
}

extension LayeredDataLoading {
    /// Starts loading.
    ///
    /// It fails with the errors that the loader's description names, or with `CancellationError`.
    public func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        begin(request, for: LoadDelivery(didReceiveData: didReceiveData, completion: completion))
    }

    /// As above, and shows the response before the first chunk or the end, where there is one to show.
    public func loadData(
        with request: URLRequest,
        didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        begin(
            request,
            for: LoadDelivery(
                didReceiveResponse: didReceiveResponse,
                didReceiveData: didReceiveData,
                completion: completion
            )
        )
    }

    /// As above, in places of a queue.
    ///
    /// The layers are to see the request as it is sent, so it is prepared before them, in a place of its own.
    package func loadData(
        with request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any PrioritizedCancellable {
        let delivery = LoadDelivery(
            slots: slots,
            priority: priority,
            didReceiveData: didReceiveData,
            completion: completion
        )
        guard let prepare else { return begin(request, for: delivery) }
        delivery.begin {
            PlacedLoad(
                in: slots,
                priority: priority,
                completion: { error in if let error { delivery.finish(error) } },
                start: { end in
                    let task = Task {
                        do {
                            let prepared = try await prepare(request)
                            end(nil)
                            if !delivery.isOver { _ = begin(prepared, for: delivery) }
                        } catch {
                            end(error)
                        }
                    }
                    return CancellableTask(task: task)
                }
            )
        }
        return delivery
    }
}

extension DataLoading {
    /// Whether the heads of answers come through all layers.
    var showsResponses: Bool {
        (self as? any LayeredDataLoading)?.loader.showsResponses ?? (self is any ResponseReportingDataLoading)
    }

    /// Starts a transfer of a load, in a place of its own if the load has places.
    ///
    /// The response is shown by itself only if the loader can show it. A loader that knows no places begins when
    /// there is one for it.
    func start(
        _ request: URLRequest,
        for delivery: LoadDelivery,
        didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        if let loader = self as? any LayeredDataLoading {
            let inner = LoadDelivery(
                slots: delivery.slots,
                priority: delivery.priority,
                didReceiveResponse: didReceiveResponse,
                didReceiveData: didReceiveData,
                completion: completion
            )
            return loader.begin(request, for: inner)
        }
        guard let slots = delivery.slots else {
            return startAtOnce(request, didReceiveResponse, didReceiveData, completion)
        }
        if let loader = self as? any SlottedDataLoading {
            let shown = Once(didReceiveResponse)
            return loader.loadData(
                with: request,
                priority: delivery.priority,
                slots: slots,
                didReceiveData: { chunk, response in
                    shown(response)
                    didReceiveData(chunk, response)
                },
                completion: { error in
                    if let response = (error as? DataLoadingError)?.response { shown(response) }
                    completion(error)
                }
            )
        }
        return PlacedLoad(in: slots, priority: delivery.priority, completion: completion) { [self] end in
            startAtOnce(request, didReceiveResponse, didReceiveData, end)
        }
    }

    private func startAtOnce(
        _ request: URLRequest,
        _ didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        _ didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        guard let loader = self as? any ResponseReportingDataLoading else {
            return loadData(with: request, didReceiveData: didReceiveData, completion: completion)
        }
        return loader.loadData(
            with: request,
            didReceiveResponse: didReceiveResponse,
            didReceiveData: didReceiveData,
            completion: completion
        )
    }
}
