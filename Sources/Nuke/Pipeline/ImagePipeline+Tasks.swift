import Foundation
import Synchronization

/// How tasks join the work under way, and leave it.
extension ImagePipeline {
    /// Lets an image task begin.
    func begin(_ task: ImageTask) {
        delegate.imageTaskCreated(task, pipeline: self)
        Task { @PipelineActor in start(task) }
    }

    @PipelineActor
    private func start(_ task: ImageTask) {
        guard task.state == .running else { return }
        delegate.imageTask(task, didReceiveEvent: .started, pipeline: self)
        guard !isInvalidated.load(ordering: .acquiring) else {
            return finish(task, .failure(.pipelineInvalidated))
        }
        let unique = configuration.isTaskCoalescingEnabled ? nil : Int(truncatingIfNeeded: task.taskId)
        let work = image(for: task.request, unique: unique)
        let subscription = work.subscribe(
            priority: task.priority,
            isDirect: true,
            requests: { [task.request] },
            receive: { [weak self] in self?.tell(task, $0) }
        )
        // It may have ended within the call.
        if task.state == .running { pools.tasks[task] = subscription } else { subscription.cancel() }
    }

    @PipelineActor
    private func tell(_ task: ImageTask, _ event: SharedWork<ImageResponse>.Event) {
        switch event {
        case .progress(let progress): tell(task, happened: .progress(progress))
        case .preview(let response): tell(task, happened: .preview(response.of(task)))
        case .closed: break
        case .finished(let result): finish(task, result.map { $0.of(task) })
        }
    }

    @PipelineActor
    private func tell(_ task: ImageTask, happened event: ImageTask.Event) {
        if task.tell(event) { delegate.imageTask(task, didReceiveEvent: event, pipeline: self) }
    }

    @PipelineActor
    private func finish(_ task: ImageTask, _ result: Result<ImageResponse, Error>) {
        pools.tasks[task] = nil
        guard task.end(result) else { return }
        delegate.imageTask(task, didReceiveEvent: .finished(result), pipeline: self)
    }

    /// The task was cancelled: its interest ends.
    func forget(_ task: ImageTask) {
        Task { @PipelineActor in
            pools.tasks.removeValue(forKey: task)?.cancel()
            delegate.imageTask(task, didReceiveEvent: .finished(.failure(.cancelled)), pipeline: self)
        }
    }

    func updatePriority(of task: ImageTask) {
        Task { @PipelineActor in pools.tasks[task]?.setPriority(task.priority) }
    }

    /// Looks into the caches first, off the books.
    func start(_ task: DataTask) async {
        let request = task.request
        guard !isInvalidated.load(ordering: .acquiring) else {
            task.end(.failure(.pipelineInvalidated))
            return
        }
        let look = await pools.storeCount
        do {
            if let data = try await cache.data(for: request, on: cachingQueue) {
                task.end(.success(LoadedData(data: data, response: nil, isStorable: false, cacheType: .disk)))
                return
            }
        } catch {
            task.end(.failure(.cancelled))
            return
        }
        guard !request.options.contains(.returnCacheDataDontLoad) else {
            task.end(.failure(.dataMissingInCache))
            return
        }
        await join(task, since: look)
    }

    @PipelineActor
    private func join(_ task: DataTask, since look: Int) {
        guard !task.isOver else { return }
        guard !isInvalidated.load(ordering: .acquiring) else {
            task.end(.failure(.pipelineInvalidated))
            return
        }
        let unique = configuration.isTaskCoalescingEnabled ? nil : ObjectIdentifier(task).hashValue
        let work = originalData(for: task.request, unique: unique, since: look)
        let subscription = work.subscribe(
            priority: task.priority,
            isDirect: true,
            requests: { [task.request] },
            receive: { [pools] event in
                switch event {
                case .progress(let progress): if !task.isOver { task.onProgress?(progress) }
                case .preview, .closed: break
                case .finished(let result):
                    pools.dataTasks[DataTaskKey(task)] = nil
                    task.end(result)
                }
            }
        )
        if task.isOver { subscription.cancel() } else { pools.dataTasks[DataTaskKey(task)] = subscription }
    }

    func forget(_ task: DataTask) {
        Task { @PipelineActor in pools.dataTasks.removeValue(forKey: DataTaskKey(task))?.cancel() }
    }

    func updatePriority(of task: DataTask) {
        Task { @PipelineActor in pools.dataTasks[DataTaskKey(task)]?.setPriority(task.priority) }
    }
}

/// A data task by which it is.
struct DataTaskKey: Hashable, Sendable {
    let task: DataTask

    init(_ task: DataTask) { self.task = task }

    func cancel() { task.cancel() }

    static func == (one: DataTaskKey, other: DataTaskKey) -> Bool { one.task === other.task }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(task)) }
}

extension ImageResponse {
    /// The response as a task's own request asked for it.
    fileprivate func of(_ task: ImageTask) -> ImageResponse {
        var response = self
        response.request = task.request
        return response
    }
}
