import Nuke
import Testing

@Suite("API: tasks", .timeLimit(.minutes(10)))
struct TaskAPITests {
    private typealias Events = AsyncStream<ImageTask.Event>

    @Test func imageTask() async throws {
        hashable(ImageTask.self)
        described(ImageTask.self)
        let id: KeyPath<ImageTask, UInt64> = \.taskId
        let request: KeyPath<ImageTask, ImageRequest> = \.request
        let priority: ReferenceWritableKeyPath<ImageTask, ImageRequest.Priority> = \.priority
        let currentProgress: KeyPath<ImageTask, ImageTask.Progress> = \.currentProgress
        let state: KeyPath<ImageTask, ImageTask.State> = \.state
        let progress: KeyPath<ImageTask, AsyncCompactMapSequence<Events, ImageTask.Progress>> = \.progress
        let previews: KeyPath<ImageTask, AsyncCompactMapSequence<Events, ImageResponse>> = \.previews
        let events: KeyPath<ImageTask, Events> = \.events
        let description: KeyPath<ImageTask, String> = \.description
        let image: (ImageTask) async throws(ImagePipeline.Error) -> PlatformImage = {
            (task: ImageTask) async throws(ImagePipeline.Error) -> PlatformImage in try await task.image
        }
        let response: (ImageTask) async throws(ImagePipeline.Error) -> ImageResponse = {
            (task: ImageTask) async throws(ImagePipeline.Error) -> ImageResponse in try await task.response
        }
        let made = ImageRequest(id: "a", image: { ImageContainer(image: onePixel) })
        let task = ImagePipeline { $0.imageCache = nil }.imageTask(with: made)
        let cancel: () -> Void = task.cancel
        let equal: (ImageTask, ImageTask) -> Bool = (==)
        let hash: (inout Hasher) -> Void = task.hash(into:)
        var hasher = Hasher()
        hash(&hasher)
        task[keyPath: priority] = .high
        #expect(try await image(task).width == 1)
        #expect(try await response(task).image.width == 1)
        #expect(task[keyPath: state] == .completed && task[keyPath: request].imageID == "a")
        #expect(task[keyPath: id] > 0 && task[keyPath: currentProgress].total == 0 && equal(task, task))
        #expect(task[keyPath: description].hasPrefix("ImageTask("))
        for await _ in task[keyPath: progress] { Issue.record("progress after the end") }
        for await _ in task[keyPath: previews] { Issue.record("a preview after the end") }
        for await event in task[keyPath: events] { #expect(name(event) == "finished") }
        cancel()
        #expect(task.state == .completed)
        #expect(isReadOnly(id) && isReadOnly(request) && isReadOnly(currentProgress) && isReadOnly(state))
        #expect(isReadOnly(progress) && isReadOnly(previews) && isReadOnly(events) && isReadOnly(description))
    }

    private func name(_ event: ImageTask.Event) -> String {
        switch event {
        case .started: "started"
        case .progress(let progress): "\(progress as ImageTask.Progress)"
        case .preview(let response): "\(response as ImageResponse)"
        case .finished(let result):
            switch result as Result<ImageResponse, ImagePipeline.Error> {
            case .success, .failure: "finished"
            }
        }
    }

    @Test func progressAndState() {
        hashable(ImageTask.Progress.self)
        let make: (Int64, Int64) -> ImageTask.Progress = ImageTask.Progress.init(completed:total:)
        let parts: [KeyPath<ImageTask.Progress, Int64>] = [\.completed, \.total]
        let fraction: KeyPath<ImageTask.Progress, Float> = \.fraction
        #expect(parts.map { make(1, 4)[keyPath: $0] } == [1, 4] && parts.allSatisfy(isReadOnly))
        let fractions = [make(1, 4), make(1, 0), make(1, -1), make(5, 4), make(0, 4)].map {
            $0[keyPath: fraction]
        }
        #expect(fractions == [0.25, 0, 0, 1, 0])
        sendable(ImageTask.State.self)
        sendable(ImageTask.Event.self)
        for state in [ImageTask.State.running, .cancelled, .completed] {
            switch state {
            case .running, .cancelled, .completed: break
            }
        }
    }
}
