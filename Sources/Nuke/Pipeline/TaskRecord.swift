import Foundation

/// The record of one ``ImageTask`` while it runs; there is none without diagnostics.
@ImagePipelineActor
final class TaskRecord {
    let created: TimeInterval
    /// The time at which the pipeline began with the task; nil if it has not.
    private(set) var started: TimeInterval?
    private(set) var root: JobRecord?
    private(set) var previewCount = 0
    private(set) var priorities: [ImagePipeline.Diagnostics.PriorityChange] = []

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

    /// The origin of the image of a request.
    nonisolated static func source(
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
