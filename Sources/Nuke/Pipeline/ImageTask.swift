import Synchronization

/// A running request for an image.
///
/// It starts when it is created, and continues even if you release it. Safe to use from any thread.
public final class ImageTask: Hashable, Identifiable, CustomStringConvertible, Sendable {
    /// The task's unique number.
    public let taskId: UInt64
    /// The request as it was made.
    public let request: ImageRequest

    /// The progress of a load, in bytes.
    public struct Progress: Hashable, Sendable {
        /// The bytes received.
        public let completed: Int64
        /// The total bytes; 0 or less if unknown.
        public let total: Int64
        /// The received part, 0 to 1; 0 if the total is unknown.
        public var fraction: Float { total > 0 ? min(1, Float(completed) / Float(total)) : 0 }

        /// Creates the progress of a load.
        public init(completed: Int64, total: Int64) {
            self.completed = completed
            self.total = total
        }
    }

    /// The state of a task.
    public enum State: Sendable {
        /// The task is running.
        case running
        /// The task was cancelled before its end.
        case cancelled
        /// The task has ended, with an image or an error.
        case completed
    }

    /// An event of a task.
    public enum Event: Sendable {
        /// The task starts; only delegates receive this.
        case started
        /// More bytes have arrived.
        case progress(Progress)
        /// A preview, decoded from a part of the data.
        case preview(ImageResponse)
        /// The end.
        case finished(Result<ImageResponse, ImagePipeline.Error>)
    }

    private struct Book {
        var status: Status
        var state = State.running
        var waiting: [CheckedContinuation<Result<ImageResponse, ImagePipeline.Error>, Never>] = []
        var streams: [Int: AsyncStream<Event>.Continuation] = [:]
        var lastStream = 0
        /// The events before the first stream, for that one.
        var early = EarlyEvents()
    }

    private static let lastID = Atomic<UInt64>(0)
    private let book: Mutex<Book>
    private let pipeline: ImagePipeline
    /// The time at which it was created, in seconds since 1970, for its metrics; nil without diagnostics.
    let created: Double?
    /// The task that loads, if only data is wanted; nil for an image.
    private let dataTask: DataTask?

    init(request: ImageRequest, pipeline: ImagePipeline, dataTask: DataTask? = nil) {
        taskId = Self.lastID.add(1, ordering: .relaxed).newValue
        self.request = request
        self.pipeline = pipeline
        self.dataTask = dataTask
        created = pipeline.isRecording ? ImagePipeline.Diagnostics.now : nil
        book = Mutex(Book(status: Status(priority: request.priority)))
    }

    /// The identity of the task; ``taskId`` is its number.
    public var id: ObjectIdentifier { ObjectIdentifier(self) }

    /// The priority among waiting tasks; a change takes effect at once.
    public var priority: ImageRequest.Priority {
        get { book.withLock { $0.status.priority } }
        set {
            let isNew = book.withLock { book in
                defer { book.status.priority = newValue }
                return book.status.priority != newValue && book.state == .running
            }
            guard isNew else { return }
            if let dataTask { dataTask.priority = newValue } else { pipeline.updatePriority(of: self) }
        }
    }

    /// The progress of the load.
    public var currentProgress: Progress { book.withLock { $0.status.progress } }

    /// The result, priority, progress and metrics as they are at one moment.
    public var status: Status { book.withLock { $0.status } }

    /// True once the task, or the Swift task that awaits it, was cancelled, also after its end.
    public var isCancelled: Bool { book.withLock { $0.status.isCancelled } }

    /// The current state.
    public var state: State { book.withLock { $0.state } }

    /// The image; cancelling the Swift task that awaits it cancels this task.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public var image: PlatformImage {
        get async throws(ImagePipeline.Error) { try await response.image }
    }

    /// The image and its source; cancelling the Swift task that awaits it cancels this task.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public var response: ImageResponse {
        get async throws(ImagePipeline.Error) {
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let result = book.withLock { book in
                        if book.status.result == nil { book.waiting.append(continuation) }
                        return book.status.result
                    }
                    if let result { continuation.resume(returning: result) }
                }
            } onCancel: {
                cancel()
            }
            return try result.get()
        }
    }

    /// The progress of the load, as ``events`` has it.
    public var progress: AsyncCompactMapSequence<AsyncStream<Event>, Progress> {
        events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    /// The previews, as ``events`` has them.
    public var previews: AsyncCompactMapSequence<AsyncStream<Event>, ImageResponse> {
        events.compactMap { if case .preview(let response) = $0 { response } else { nil } }
    }

    /// The events, including the end: for the first stream of the task all of them, for others those from now on.
    ///
    /// Of the events before the first stream the newest thousand are kept, with eight previews at most. Other
    /// streams that are opened after the end have the end alone.
    public var events: AsyncStream<Event> {
        AsyncStream { continuation in
            let result: Result<ImageResponse, ImagePipeline.Error>? = book.withLock { book in
                // In the lock, so that none overtakes them; nobody takes elements of the stream yet.
                for event in book.early.take() { continuation.yield(event) }
                book.lastStream += 1
                guard book.status.result == nil else { return book.status.result }
                let number = book.lastStream
                book.streams[number] = continuation
                continuation.onTermination = { [weak self] _ in
                    self?.book.withLock { $0.streams[number] = nil }
                }
                return nil
            }
            guard let result else { return }
            continuation.yield(.finished(result))
            continuation.finish()
        }
    }

    /// Ends the task with `cancelled`; without effect after its end.
    ///
    /// The work continues while other requests need it.
    public func cancel() {
        book.withLock { $0.status.isCancelled = true }
        guard end(.failure(.cancelled), as: .cancelled) else { return }
        if let dataTask { dataTask.cancel() } else { pipeline.forget(self) }
    }

    /// The number, priority, progress and state.
    public var description: String {
        let (status, state) = book.withLock { ($0.status, $0.state) }
        return
            "ImageTask(id: \(taskId), priority: \(status.priority), progress: \(status.progress.completed) / "
            + "\(status.progress.total), state: \(state))"
    }

    /// True if both are the same task.
    public static func == (lhs: ImageTask, rhs: ImageTask) -> Bool { lhs === rhs }

    /// Hashes the identity of the task.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ImageTask {
    /// Sends an event to all streams; without effect after the end.
    ///
    /// - Returns: True if the task was running.
    func tell(_ event: Event) -> Bool {
        let streams: [AsyncStream<Event>.Continuation]? = book.withLock { book in
            guard book.state == .running else { return nil }
            if case .progress(let progress) = event { book.status.progress = progress }
            if book.lastStream == 0 { book.early.add(event) }
            return Array(book.streams.values)
        }
        for stream in streams ?? [] { stream.yield(event) }
        return streams != nil
    }

    /// Ends the task; only the first call counts.
    ///
    /// - Returns: True for the first call.
    func end(
        _ result: Result<ImageResponse, ImagePipeline.Error>,
        as state: State = .completed,
        metrics: Metrics? = nil
    ) -> Bool {
        let told: Book? = book.withLock { book in
            guard book.state == .running else { return nil }
            let told = book
            (book.status.result, book.status.metrics) = (result, metrics)
            (book.state, book.waiting, book.streams) = (state, [], [:])
            return told
        }
        guard let told else { return false }
        for continuation in told.waiting { continuation.resume(returning: result) }
        for stream in told.streams.values {
            stream.yield(.finished(result))
            stream.finish()
        }
        return true
    }

    /// Adds the metrics of a task that was cancelled, which ended before they were known.
    func note(_ metrics: Metrics) {
        book.withLock { $0.status.metrics = metrics }
    }
}
