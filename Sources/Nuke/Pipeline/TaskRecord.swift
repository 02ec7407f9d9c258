import Foundation

/// The record of one ``ImageTask`` while it runs; there is none without diagnostics.
@ImagePipelineActor
final class TaskRecord {
    private let created: TimeInterval
    /// The time at which the pipeline began with the task; nil if it has not.
    private var started: TimeInterval?
    private var root: JobRecord?
    private var previewCount = 0
    private var priorities: [ImagePipeline.Diagnostics.PriorityChange] = []

    init(created: TimeInterval) {
        self.created = created
    }

    /// Notes that the pipeline begins with the task.
    func begin() { started = ImagePipeline.Diagnostics.now }

    /// Notes the job that the task waits for.
    func wait(_ task: ImageTask, for job: JobRecord?) {
        root = job
        job?.arrive(task.taskId)
    }

    func notePreview() { previewCount += 1 }

    func note(_ priority: ImageRequest.Priority) {
        priorities.append(.init(at: ImagePipeline.Diagnostics.now, priority: priority))
    }

    /// Returns the record of the task that ends with `result`.
    func metrics(
        of task: ImageTask,
        in pipeline: ImagePipeline,
        _ result: Result<ImageResponse, ImagePipeline.Error>
    ) -> ImageTask.Metrics {
        let end = ImagePipeline.Diagnostics.now
        let jobs = root?.jobs(of: task.taskId, until: end) ?? []
        let response = try? result.get()
        return ImageTask.Metrics(
            schemaVersion: ImagePipeline.Diagnostics.schemaVersion,
            pipelineID: pipeline.id,
            taskID: task.taskId,
            label: task.request.userInfo[.labelKey] as? String,
            request: ImageTask.Metrics.RequestSummary(task.request),
            createdAt: created,
            startedAt: started,
            endedAt: end,
            outcome: .init(result),
            error: .of(result),
            source: response.map { Self.source(of: $0, for: task.request) },
            isCoalesced: jobs.contains { $0.createdByTaskID != task.taskId },
            previewCount: previewCount,
            priorityHistory: priorities,
            image: response.map { ImageTask.Metrics.ImageSummary($0.container) },
            jobs: jobs
        )
    }

    private static func source(
        of response: ImageResponse,
        for request: ImageRequest
    ) -> ImagePipeline.Diagnostics.Source {
        switch response.cacheType {
        case .memory: .memory
        case .disk: .disk
        case nil: request.source
        }
    }
}

extension ImageRequest {
    /// The origin of data that no cache has.
    var source: ImagePipeline.Diagnostics.Source {
        switch resource {
        case .data, .image: .closure
        case .url, .urlRequest: url.flatMap(LocalResource.init) == nil ? .network : .file
        }
    }
}
