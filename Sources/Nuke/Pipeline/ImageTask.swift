import Synchronization

/// A request for an image that is under way.
///
/// It has begun when it is there, and goes on whoever drops it. May be used from any thread.
public final class ImageTask: Hashable, CustomStringConvertible, Sendable {
    /// Its number, different from that of every other task.
    public let taskId: UInt64
    /// The request as it was made.
    public let request: ImageRequest

    /// How far a load has come, in bytes.
    public struct Progress: Hashable, Sendable {
        /// Bytes that have come.
        public let completed: Int64
        /// Bytes in all; 0 or less where nobody knows.
        public let total: Int64
        /// The part that has come, 0 to 1; 0 where nobody knows.
        public var fraction: Float {
            total > 0 ? min(1, Float(completed) / Float(total)) : 0
        }

        /// So many of so many bytes.
        public init(completed: Int64, total: Int64) {
            self.completed = completed
            self.total = total
        }
    }

    /// How a task stands.
    public enum State: Sendable {
        /// It goes on.
        case running
        /// It was cancelled before its end.
        case cancelled
        /// It has ended, well or not.
        case completed
    }

    /// What happens to a task.
    public enum Event: Sendable {
        /// It begins; only delegates are told.
        case started
        /// More bytes have come.
        case progress(Progress)
        /// An image of a part of the data.
        case preview(ImageResponse)
        /// The end.
        case finished(Result<ImageResponse, ImagePipeline.Error>)
    }

    private struct Book {
        var priority: ImageRequest.Priority
        var progress = Progress(completed: 0, total: 0)
        var state = State.running
        var result: Result<ImageResponse, ImagePipeline.Error>?
        var waiting: [CheckedContinuation<Result<ImageResponse, ImagePipeline.Error>, Never>] = []
        var streams: [Int: AsyncStream<Event>.Continuation] = [:]
        var lastStream = 0
    }

    private static let lastID = Atomic<UInt64>(0)
    private let book: Mutex<Book>
    private let pipeline: ImagePipeline

    init(request: ImageRequest, pipeline: ImagePipeline) {
        taskId = Self.lastID.add(1, ordering: .relaxed).newValue
        self.request = request
        self.pipeline = pipeline
        book = Mutex(Book(priority: request.priority))
    }

    /// The place among the tasks that wait; a change acts at once on what waits.
    public var priority: ImageRequest.Priority {
        get { book.withLock { $0.priority } }
        set {
            let isNew = book.withLock { book in
                defer { book.priority = newValue }
                return book.priority != newValue && book.state == .running
            }
            if isNew { pipeline.updatePriority(of: self) }
        }
    }

    /// How far the load has come.
    public var currentProgress: Progress { book.withLock { $0.progress } }

    /// How it stands.
    public var state: State { book.withLock { $0.state } }

    /// The image; cancelling the task that waits for it cancels this one.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public var image: PlatformImage {
        get async throws(ImagePipeline.Error) { try await response.image }
    }

    /// The image, and where it came from; cancelling the task that waits for it cancels this one.
    ///
    /// - Throws: `ImagePipeline.Error`.
    public var response: ImageResponse {
        get async throws(ImagePipeline.Error) {
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let result = book.withLock { book in
                        if book.result == nil { book.waiting.append(continuation) }
                        return book.result
                    }
                    if let result { continuation.resume(returning: result) }
                }
            } onCancel: {
                cancel()
            }
            return try result.get()
        }
    }

    /// How far the load comes, from now on.
    public var progress: AsyncCompactMapSequence<AsyncStream<Event>, Progress> {
        events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    /// Images of parts of the data, from now on.
    public var previews: AsyncCompactMapSequence<AsyncStream<Event>, ImageResponse> {
        events.compactMap { if case .preview(let response) = $0 { response } else { nil } }
    }

    /// What happens from now on, with the end; of a task that has ended the end alone.
    public var events: AsyncStream<Event> {
        AsyncStream { continuation in
            let result: Result<ImageResponse, ImagePipeline.Error>? = book.withLock { book in
                guard book.result == nil else { return book.result }
                book.lastStream += 1
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

    /// Ends it now, with `cancelled`; without effect on one that has ended.
    ///
    /// The work goes on while others want it.
    public func cancel() {
        guard end(.failure(.cancelled), as: .cancelled) else { return }
        pipeline.forget(self)
    }

    /// Its number and request.
    public var description: String {
        "ImageTask(id: \(taskId), priority: \(priority), progress: \(currentProgress.completed) / "
            + "\(currentProgress.total), state: \(state))"
    }

    /// Whether both are one.
    public static func == (lhs: ImageTask, rhs: ImageTask) -> Bool { lhs === rhs }

    /// Hashes which it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ImageTask {
    /// Tells what happens on the way; dropped after the end.
    ///
    /// - Returns: whether it was told.
    func tell(_ event: Event) -> Bool {
        let streams: [AsyncStream<Event>.Continuation]? = book.withLock { book in
            guard book.state == .running else { return nil }
            if case .progress(let progress) = event { book.progress = progress }
            return Array(book.streams.values)
        }
        for stream in streams ?? [] { stream.yield(event) }
        return streams != nil
    }

    /// Ends it; only the first end counts.
    ///
    /// - Returns: whether this was the first.
    func end(_ result: Result<ImageResponse, ImagePipeline.Error>, as state: State = .completed) -> Bool {
        let told: Book? = book.withLock { book in
            guard book.state == .running else { return nil }
            let told = book
            (book.state, book.result, book.waiting, book.streams) = (state, result, [], [:])
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
}
