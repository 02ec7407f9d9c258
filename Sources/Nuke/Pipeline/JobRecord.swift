import Foundation

/// The record of one ``AsyncTask`` while it runs; there is none without diagnostics.
@ImagePipelineActor
final class JobRecord {
    typealias Stage = ImagePipeline.Diagnostics.Stage

    private var job: ImagePipeline.Diagnostics.Job
    /// The record of the work whose result this work needs.
    private var dependency: JobRecord?
    /// The tasks that have reached the job, with the times at which they did.
    private var arrivals: [(task: UInt64, at: TimeInterval)] = []

    init(_ kind: ImagePipeline.Diagnostics.Job.Kind, id: UInt64, _ request: ImageRequest) {
        job = ImagePipeline.Diagnostics.Job(
            id: id,
            kind: kind,
            processors: kind == .loadImage ? request.processors.map(\.identifier) : [],
            createdAt: ImagePipeline.Diagnostics.now
        )
    }

    /// Notes that a task has reached the job, and all that it depends on.
    func arrive(_ task: UInt64) {
        note((task, ImagePipeline.Diagnostics.now))
    }

    private func note(_ arrival: (task: UInt64, at: TimeInterval)) {
        guard !arrivals.contains(where: { $0.task == arrival.task }) else { return }
        arrivals.append(arrival)
        dependency?.note(arrival)
    }

    /// Notes the work whose result this work needs.
    func depend(on record: JobRecord?) {
        dependency = record
        let now = ImagePipeline.Diagnostics.now
        for arrival in arrivals { record?.note((arrival.task, now)) }
    }

    /// Notes that a step begins.
    /// - Returns: The number of the step, for ``end(_:_:)``.
    func begin(_ kind: Stage.Kind) -> Int {
        job.stages.append(Stage(kind: kind, startedAt: ImagePipeline.Diagnostics.now))
        return job.stages.count - 1
    }

    /// Notes the end of a step, described by `describe`.
    func end(_ stage: Int?, _ describe: (inout Stage) -> Void = { _ in }) {
        guard let stage else { return }
        job.stages[stage].duration = ImagePipeline.Diagnostics.now - job.stages[stage].startedAt
        describe(&job.stages[stage])
    }

    func end<Value>(_ result: Result<Value, ImagePipeline.Error>) {
        job.endedAt = ImagePipeline.Diagnostics.now
        job.outcome = ImagePipeline.Diagnostics.Outcome(result)
        job.error = ImagePipeline.Diagnostics.ErrorSummary.of(result)
    }

    /// Returns the jobs that a task waited for, its own first, as far as it lived to see them.
    func jobs(of task: UInt64, until end: TimeInterval) -> [ImagePipeline.Diagnostics.Job] {
        var jobs: [ImagePipeline.Diagnostics.Job] = []
        var next: JobRecord? = self
        while let record = next {
            var job = record.job
            job.parentID = jobs.last?.id
            job.taskIDs = record.arrivals.map(\.task)
            job.createdByTaskID = job.taskIDs.first
            let arrival = record.arrivals.first { $0.task == task }?.at ?? job.createdAt
            job.joinedAt = job.createdByTaskID == task ? nil : arrival
            for number in job.stages.indices {
                let stage = job.stages[number]
                let waited = min(stage.endedAt ?? end, end) - max(stage.startedAt, arrival)
                job.stages[number].attributedDuration = max(0, waited)
            }
            jobs.append(job)
            next = record.dependency
        }
        return jobs
    }
}

extension ImagePipeline {
    /// Gives a task that has not begun a record, if tasks are recorded.
    @ImagePipelineActor
    func recorded<Value>(
        _ task: AsyncTask<Value>,
        as kind: Diagnostics.Job.Kind,
        of request: ImageRequest
    ) -> AsyncTask<Value> {
        guard isRecording, !task.hasStarted, task.record == nil else { return task }
        taskPool.jobCount += 1
        task.record = JobRecord(kind, id: taskPool.jobCount, request)
        return task
    }
}
