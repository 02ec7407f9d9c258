/// Work that runs once for all its subscribers: it lasts while it has any, at the highest of their priorities.
@ImagePipelineActor
final class AsyncTask<Value: Sendable> {
    /// An event that subscribers receive; none follows the end.
    enum Event: Sendable {
        case progress(ImageTask.Progress)
        case preview(Value)
        /// The result will suit only the present subscribers; later requests must start a new task.
        case closed
        case finished(Result<Value, ImagePipeline.Error>)
    }

    private struct Subscriber {
        var priority: ImageRequest.Priority
        let requests: @ImagePipelineActor () -> [ImageRequest]
        let isDirect: Bool
        let receive: @ImagePipelineActor (Event) -> Void
    }

    private var subscribers: [Int: Subscriber] = [:]
    private var lastNumber = 0
    private(set) var hasStarted = false
    private(set) var isOver = false
    private let starter: @ImagePipelineActor (AsyncTask) -> Void
    /// Removes the task from its pool: before anyone hears that it is closed or over, or when its last subscriber leaves.
    private let onDisposed: @ImagePipelineActor (AsyncTask) -> Void

    /// Called with the current priority and with each new one, until the end.
    var onPriorityChanged: (@ImagePipelineActor (ImageRequest.Priority) -> Void)? {
        didSet { onPriorityChanged?(priority) }
    }
    /// The record of the work; nil without diagnostics.
    var record: JobRecord?
    /// Called when the last subscriber leaves before the end.
    var onCancelled: (@ImagePipelineActor () -> Void)?

    /// Creates a task that calls `starter` on its first subscription.
    nonisolated init(
        onDisposed: @escaping @ImagePipelineActor (AsyncTask) -> Void,
        starter: @escaping @ImagePipelineActor (AsyncTask) -> Void
    ) {
        self.onDisposed = onDisposed
        self.starter = starter
    }

    /// The highest priority of the subscribers.
    private(set) var priority = ImageRequest.Priority.normal

    /// The requests at the end of all chains that lead here, in the order in which they subscribed.
    var requests: [ImageRequest] { subscribers.sorted { $0.key < $1.key }.flatMap { $0.value.requests() } }

    /// True if a caller's task wants this very result, not one that is made from it.
    var isWantedDirectly: Bool { subscribers.values.contains { $0.isDirect } }

    /// Adds a subscriber, which receives all events from now on; the first one starts the work.
    ///
    /// `requests` returns the requests that reach the task through the subscriber: its own if it is direct.
    func subscribe(
        priority: ImageRequest.Priority,
        isDirect: Bool = false,
        requests: @escaping @ImagePipelineActor () -> [ImageRequest],
        receive: @escaping @ImagePipelineActor (Event) -> Void
    ) -> TaskSubscription {
        lastNumber += 1
        let number = lastNumber
        subscribers[number] = Subscriber(
            priority: priority,
            requests: requests,
            isDirect: isDirect,
            receive: receive
        )
        updatePriority()
        if !hasStarted {
            hasStarted = true
            starter(self)
        }
        return TaskSubscription(
            setPriority: { [weak self] in self?.setPriority($0, of: number) },
            cancel: { [weak self] in self?.unsubscribe(number) }
        )
    }

    /// Sends an event other than the end to all subscribers; without effect after the end.
    func send(_ event: Event) {
        guard !isOver else { return }
        let receivers = subscribers.sorted { $0.key < $1.key }.map { $0.value.receive }
        if case .closed = event { onDisposed(self) }
        for receive in receivers { receive(event) }
    }

    /// Ends the task with its result; without effect after the end.
    func finish(_ result: Result<Value, ImagePipeline.Error>) {
        guard !isOver else { return }
        let receivers = subscribers.sorted { $0.key < $1.key }.map { $0.value.receive }
        record?.end(result)
        dispose()
        for receive in receivers { receive(.finished(result)) }
    }

    private func setPriority(_ priority: ImageRequest.Priority, of number: Int) {
        subscribers[number]?.priority = priority
        updatePriority()
    }

    private func unsubscribe(_ number: Int) {
        guard subscribers.removeValue(forKey: number) != nil else { return }
        if subscribers.isEmpty { cancel() } else { updatePriority() }
    }

    private func cancel() {
        guard !isOver else { return }
        let onCancelled = onCancelled
        record?.end(Result<Value, ImagePipeline.Error>.failure(.cancelled))
        dispose()
        onCancelled?()
    }

    private func dispose() {
        isOver = true
        onDisposed(self)
        (onPriorityChanged, onCancelled) = (nil, nil)
        subscribers = [:]
    }

    private func updatePriority() {
        let highest = subscribers.values.map { $0.priority }.max() ?? .normal
        guard highest != priority else { return }
        priority = highest
        onPriorityChanged?(highest)
    }
}

/// One subscriber's hold on an ``AsyncTask``.
@ImagePipelineActor
struct TaskSubscription {
    let setPriority: @ImagePipelineActor (ImageRequest.Priority) -> Void
    /// Ends the subscription: no further event is received.
    let cancel: @ImagePipelineActor () -> Void
}
