/// Work that is done once for all who want it: it lasts while somebody does, at the priority of the most urgent.
@PipelineActor
final class SharedWork<Value: Sendable> {
    /// What those who want it are told; nothing comes after the end.
    enum Event: Sendable {
        case progress(ImageTask.Progress)
        case preview(Value)
        /// What comes will suit only those who want it now: others are to begin anew.
        case closed
        case finished(Result<Value, ImagePipeline.Error>)
    }

    private struct Subscriber {
        var priority: ImageRequest.Priority
        let requests: @PipelineActor () -> [ImageRequest]
        let isDirect: Bool
        let receive: @PipelineActor (Event) -> Void
    }

    private var subscribers: [Int: Subscriber] = [:]
    private var lastNumber = 0
    private var isBegun = false
    private(set) var isOver = false
    private let begin: @PipelineActor (SharedWork) -> Void
    /// Takes it from where others find it: when it is closed, over, or nobody wants it any more, before anybody is told.
    private let onEnd: @PipelineActor (SharedWork) -> Void

    /// Told of each new priority, until the end.
    var follow: (@PipelineActor (ImageRequest.Priority) -> Void)? {
        didSet { follow?(priority) }
    }
    /// Called when nobody wants it any more.
    var giveUp: (@PipelineActor () -> Void)?

    /// Work that `begin` starts when somebody wants it.
    nonisolated init(
        onEnd: @escaping @PipelineActor (SharedWork) -> Void,
        begin: @escaping @PipelineActor (SharedWork) -> Void
    ) {
        self.onEnd = onEnd
        self.begin = begin
    }

    /// The highest priority of those who want it.
    private(set) var priority = ImageRequest.Priority.normal

    /// The requests at the end of all chains that lead here.
    var requests: [ImageRequest] {
        subscribers.sorted { $0.key < $1.key }.flatMap { $0.value.requests() }
    }

    /// Whether a task wants this very result, not one that is made of it.
    var isWantedDirectly: Bool { subscribers.values.contains { $0.isDirect } }

    /// Joins: the work begins with the first, and each is told what comes from now on.
    ///
    /// `requests` are those that want it through the subscriber, itself one if it is direct.
    func subscribe(
        priority: ImageRequest.Priority,
        isDirect: Bool = false,
        requests: @escaping @PipelineActor () -> [ImageRequest],
        receive: @escaping @PipelineActor (Event) -> Void
    ) -> Subscription {
        lastNumber += 1
        let number = lastNumber
        subscribers[number] = Subscriber(
            priority: priority,
            requests: requests,
            isDirect: isDirect,
            receive: receive
        )
        updatePriority()
        if !isBegun {
            isBegun = true
            begin(self)
        }
        return Subscription(
            setPriority: { [weak self] in self?.setPriority($0, of: number) },
            cancel: { [weak self] in self?.unsubscribe(number) }
        )
    }

    /// Tells all who want it; what comes after the end is dropped.
    func send(_ event: Event) {
        guard !isOver else { return }
        let receivers = subscribers.sorted { $0.key < $1.key }.map { $0.value.receive }
        if case .finished = event { end() }
        if case .closed = event { onEnd(self) }
        for receive in receivers { receive(event) }
    }

    private func setPriority(_ priority: ImageRequest.Priority, of number: Int) {
        subscribers[number]?.priority = priority
        updatePriority()
    }

    private func unsubscribe(_ number: Int) {
        guard subscribers.removeValue(forKey: number) != nil else { return }
        if subscribers.isEmpty { abandon() } else { updatePriority() }
    }

    private func abandon() {
        guard !isOver else { return }
        let giveUp = giveUp
        end()
        giveUp?()
    }

    private func end() {
        isOver = true
        onEnd(self)
        (follow, giveUp) = (nil, nil)
        subscribers = [:]
    }

    private func updatePriority() {
        let highest = subscribers.values.map { $0.priority }.max() ?? .normal
        guard highest != priority else { return }
        priority = highest
        follow?(highest)
    }
}

/// One who wants shared work.
@PipelineActor
struct Subscription {
    /// Changes how urgent it is.
    let setPriority: @PipelineActor (ImageRequest.Priority) -> Void
    /// Wants it no more: nothing is told any more.
    let cancel: @PipelineActor () -> Void
}
