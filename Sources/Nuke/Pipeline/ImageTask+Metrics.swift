public import Foundation

extension ImageTask {
    /// The record of one task: the origin of its image, and what it waited for.
    ///
    /// It is complete in itself, and can be encoded. Of jobs that it shared with other tasks it has copies, whose
    /// ``ImagePipeline/Diagnostics/Job/id`` identifies them. URLs are redacted as in a ``NetworkLog``.
    public final class Metrics: Codable, Sendable, CustomStringConvertible {
        /// The version of the JSON that it is encoded to.
        public let schemaVersion: Int
        /// The pipeline of the task.
        public let pipelineID: UUID
        /// ``ImageTask/taskId``.
        public let taskID: UInt64
        /// The text under ``ImageRequest/UserInfoKey/labelKey`` in the request's `userInfo`.
        public let label: String?
        /// The request.
        public let request: RequestSummary
        /// The time at which the task was created, in seconds since 1970.
        public let createdAt: TimeInterval
        /// The time at which the pipeline began with it; nil if it was cancelled before.
        public let startedAt: TimeInterval?
        /// The time of its end, in seconds since 1970.
        public let endedAt: TimeInterval
        /// Its end.
        public let outcome: ImagePipeline.Diagnostics.Outcome
        /// The error that it failed with.
        public let error: ImagePipeline.Diagnostics.ErrorSummary?
        /// The origin of its image; nil without one.
        public let source: ImagePipeline.Diagnostics.Source?
        /// True if another task had begun a part of its work.
        public let isCoalesced: Bool
        /// The number of previews that it delivered.
        public let previewCount: Int
        /// The changes of its priority while it ran.
        public let priorityHistory: [ImagePipeline.Diagnostics.PriorityChange]
        /// Its image.
        public let image: ImageSummary?
        /// The jobs that it waited for: its own first, and each before the one that it depends on.
        public let jobs: [ImagePipeline.Diagnostics.Job]

        /// The record of a task that ends now, with `result`.
        @ImagePipelineActor
        init(
            _ record: TaskRecord,
            of task: ImageTask,
            in pipeline: ImagePipeline,
            result: Result<ImageResponse, ImagePipeline.Error>
        ) {
            let response = try? result.get()
            schemaVersion = ImagePipeline.Diagnostics.schemaVersion
            (pipelineID, taskID, request) = (pipeline.id, task.taskId, RequestSummary(task.request))
            label = task.request.userInfo[.labelKey] as? String
            (createdAt, startedAt, endedAt) = (record.created, record.started, ImagePipeline.Diagnostics.now)
            (outcome, error) = (.init(result), .of(result))
            source = response.map { TaskRecord.source(of: $0, for: task.request) }
            (previewCount, priorityHistory) = (record.previewCount, record.priorities)
            image = response.map { ImageSummary($0.container) }
            jobs = record.root?.jobs(of: task.taskId, until: endedAt) ?? []
            isCoalesced = jobs.contains { $0.createdByTaskID != task.taskId }
        }

        /// The seconds from its creation to its end.
        public var duration: TimeInterval { endedAt - createdAt }

        /// The number of the job that made its image; nil if it never began.
        public var rootJobID: UInt64? { jobs.first?.id }

        /// The numbers of the tasks that shared a job with it, in the order of their numbers.
        public var sharedTaskIDs: [UInt64] { Set(jobs.flatMap(\.taskIDs)).subtracting([taskID]).sorted() }

        /// The bytes of the download that it waited for; nil without one.
        public var bytes: Int64? { stages.last { $0.kind == .download }?.bytes }

        /// The numbers of its downloads' requests in a ``NetworkLog``.
        public var networkLogRequests: [UInt64] { stages.compactMap(\.networkLogRequest) }

        private var stages: [ImagePipeline.Diagnostics.Stage] { jobs.flatMap(\.stages) }
    }
}

extension ImageTask.Metrics {
    /// A request, in a form that can be encoded.
    public struct RequestSummary: Codable, Sendable {
        /// The URL, redacted; nil for a closure.
        public let url: String?
        /// The identifier of the image in caches, redacted as a URL.
        public let imageID: String?
        /// The identifiers of its processors.
        public let processors: [String]
        /// The priority that it was made with.
        public let priority: ImageRequest.Priority

        init(_ request: ImageRequest) {
            let redaction = NetworkLog.Redaction()
            url = request.url.map { redaction.redacted(url: $0.absoluteString) }
            imageID = request.imageID.map { redaction.redacted(url: $0) }
            processors = request.processors.map(\.identifier)
            priority = request.priority
        }
    }

    /// An image, in a form that can be encoded.
    public struct ImageSummary: Codable, Sendable {
        /// The width in pixels.
        public let width: Int
        /// The height in pixels.
        public let height: Int
        /// The type of its file, such as `public.jpeg`; nil if unknown.
        public let format: String?
        /// Its cost in an ``ImageCache``, in bytes.
        public let memoryCost: Int

        init(_ container: ImageContainer) {
            (width, height) = (container.image.width, container.image.height)
            (format, memoryCost) = (container.type?.rawValue, container.cost)
        }
    }

    /// The end of the task, and a line for each step that it waited for.
    public var description: String {
        var lines = ["ImageTask \(taskID): \(outcome.rawValue) after \(Self.text(duration))"]
        if let source { lines[0] += ", from \(source.rawValue)" }
        if let error { lines.append("  error: \(error.description)") }
        lines.append("  request: \(request.url ?? request.imageID ?? "none")")
        if isCoalesced {
            lines.append("  shared with: \(sharedTaskIDs.map(String.init).joined(separator: ", "))")
        }
        for job in jobs {
            lines.append("  \(job.kind.rawValue) (job \(job.id))")
            for stage in job.stages {
                lines.append(
                    "    \(stage.kind.rawValue): \(Self.text(stage.duration))\(Self.facts(of: stage))"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func facts(of stage: ImagePipeline.Diagnostics.Stage) -> String {
        let facts: [String?] = [
            stage.result?.rawValue, stage.source?.rawValue, stage.statusCode.map { "status \($0)" },
            stage.bytes.map { "\($0) bytes" }, stage.decoder, stage.processor, stage.format,
            stage.pixels.map { "\($0.width) × \($0.height)" },
            stage.networkLogRequest.map { "request \($0)" },
        ]
        return facts.compactMap(\.self).map { ", " + $0 }.joined()
    }

    private static func text(_ seconds: TimeInterval?) -> String {
        guard let seconds else { return "not over" }
        return "\((seconds * 10_000).rounded() / 10) ms"
    }
}
