import Foundation
import Synchronization

/// The start of image and data tasks: each subscribes to a task in the pool.
extension ImagePipeline {
    func begin(_ task: ImageTask) {
        delegate.imageTaskCreated(task, pipeline: self)
        Task { @ImagePipelineActor in start(task) }
    }

    @ImagePipelineActor
    private func start(_ task: ImageTask) {
        guard task.state == .running else { return }
        if let created = task.created {
            let record = TaskRecord(created: created)
            record.begin()
            taskPool.records[task] = record
        }
        delegate.imageTaskDidStart(task, pipeline: self)
        delegate.imageTask(task, didReceiveEvent: .started, pipeline: self)
        guard !isInvalidated.load(ordering: .acquiring) else {
            return finish(task, .failure(.pipelineInvalidated))
        }
        let unique = configuration.isTaskCoalescingEnabled ? nil : Int(truncatingIfNeeded: task.taskId)
        let load = loadImageTask(for: task.request, unique: unique)
        taskPool.records[task]?.wait(task, for: load.record)
        let subscription = load.subscribe(
            priority: task.priority,
            isDirect: true,
            requests: { [task.request] },
            receive: { [weak self] in self?.tell(task, $0) }
        )
        // The task may have ended within the call.
        if task.state == .running { taskPool.imageTasks[task] = subscription } else { subscription.cancel() }
    }

    @ImagePipelineActor
    private func tell(_ task: ImageTask, _ event: AsyncTask<ImageResponse>.Event) {
        switch event {
        case .progress(let progress): tell(task, happened: .progress(progress))
        case .preview(let response):
            taskPool.records[task]?.notePreview()
            tell(task, happened: .preview(response.of(task)))
        case .closed: break
        case .finished(let result): finish(task, result.map { $0.of(task) })
        }
    }

    @ImagePipelineActor
    private func tell(_ task: ImageTask, happened event: ImageTask.Event) {
        if task.tell(event) { delegate.imageTask(task, didReceiveEvent: event, pipeline: self) }
    }

    @ImagePipelineActor
    private func finish(_ task: ImageTask, _ result: Result<ImageResponse, Error>) {
        taskPool.imageTasks[task] = nil
        let metrics = takeRecord(of: task).map { ImageTask.Metrics($0, of: task, in: self, result: result) }
        guard task.end(result, metrics: metrics) else { return }
        delegate.imageTask(task, didReceiveEvent: .finished(result), pipeline: self)
    }

    /// Starts a data task: it gets its data from the disk cache, or else joins the download.
    ///
    /// The cache is asked once.
    func start(_ task: DataTask) async {
        let request = task.request
        do throws(Error) {
            guard !isInvalidated.load(ordering: .acquiring) else { throw .pipelineInvalidated }
            let look = await taskPool.stores.count
            if let loaded = try await cachedOriginal(for: request) {
                task.end(.success(loaded))
                return
            }
            guard !isMissing(request) else { throw .dataMissingInCache }
            try await join(task, since: look)
        } catch {
            task.end(.failure(error))
        }
    }

    @ImagePipelineActor
    private func join(_ task: DataTask, since look: Int) throws(Error) {
        guard !task.isOver else { return }
        guard !isInvalidated.load(ordering: .acquiring) else { throw .pipelineInvalidated }
        let unique = configuration.isTaskCoalescingEnabled ? nil : ObjectIdentifier(task).hashValue
        let fetch = fetchOriginalDataTask(for: task.request, unique: unique, since: look)
        let subscription = fetch.subscribe(
            priority: task.priority,
            isDirect: true,
            requests: { [task.request] },
            receive: { [taskPool] event in
                switch event {
                case .progress(let progress): if !task.isOver { task.onProgress?(progress) }
                case .preview, .closed: break
                case .finished(let result):
                    taskPool.dataTasks[ObjectIdentifier(task)] = nil
                    task.end(result)
                }
            }
        )
        guard !task.isOver else { return subscription.cancel() }
        taskPool.dataTasks[ObjectIdentifier(task)] = (task, subscription)
    }
}

extension ImageResponse {
    /// Returns the response with the task's own request.
    fileprivate func of(_ task: ImageTask) -> ImageResponse {
        var response = self
        response.request = task.request
        return response
    }
}
