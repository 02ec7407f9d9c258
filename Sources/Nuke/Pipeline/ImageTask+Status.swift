extension ImageTask {
    /// A task as it is at one moment.
    public struct Status: Sendable {
        /// The result; nil while the task runs.
        ///
        /// It is known before observers receive the `finished` event.
        public internal(set) var result: Result<ImageResponse, ImagePipeline.Error>?
        /// True once the task was cancelled, which may also happen after its end: ``result`` says how it ended.
        public internal(set) var isCancelled = false
        /// The priority among waiting tasks.
        public internal(set) var priority = ImageRequest.Priority.normal
        /// The progress of the load.
        public internal(set) var progress = Progress(completed: 0, total: 0)
        /// The record of the task's work; nil while it runs, and without ``ImagePipeline/Diagnostics``.
        public internal(set) var metrics: Metrics?

        /// Creates the status of a task that has just begun.
        public init() {}

        init(priority: ImageRequest.Priority) {
            self.priority = priority
        }
    }

    /// The record of the task's work; nil while it runs, and without ``ImagePipeline/Diagnostics``.
    ///
    /// It is known before observers receive the `finished` event; after ``cancel()`` it takes a moment.
    public var metrics: Metrics? { status.metrics }
}
