import Files
import Foundation

/// Previews of one file while its data arrives: one at a time, and no more often than the configuration allows.
@ImagePipelineActor
final class Previews {
    /// The number of times that a policy of no previews is asked again, since more data may change the answer.
    private static let mostQuestions = 6

    /// The decoder of the previews, which decodes the whole as well; nil if none was chosen.
    private(set) var decoder: (any ImageDecoding)?
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let asyncTask: AsyncTask<ImageResponse>
    private var policy = ImagePipeline.PreviewPolicy.disabled
    private var questions = 0
    private var bytesAtLastQuestion = 0
    private var isDecoding = false
    private var lastPreview: ContinuousClock.Instant?
    private var task: Task<Void, Never>?

    init(_ request: ImageRequest, for asyncTask: AsyncTask<ImageResponse>, in pipeline: ImagePipeline) {
        self.request = request
        self.pipeline = pipeline
        self.asyncTask = asyncTask
    }

    /// Takes all data that has arrived so far; dropped while a preview is being made, or soon after one.
    func add(_ partial: LoadedData) {
        var context = ImageDecodingContext(
            request: request,
            data: partial.data,
            isCompleted: false,
            urlResponse: partial.response
        )
        guard isWanted(context), !isDecoding, isTime else { return }
        context.previewPolicy = policy
        if decoder == nil { decoder = pipeline.delegate.imageDecoder(for: context, pipeline: pipeline) }
        guard let decoder else { return }
        isDecoding = true
        lastPreview = .now
        let queue = WorkQueue(pipeline.configuration.imageDecodingQueue)
        task = Task { @ImagePipelineActor in
            defer { isDecoding = false }
            let container =
                decoder.isAsynchronous
                ? try? await queue.run(priority: asyncTask.priority.queuePriority) {
                    decoder.decodePartiallyDownloadedData(partial.data)
                }
                : decoder.decodePartiallyDownloadedData(partial.data)
            guard var container, !Task.isCancelled else { return }
            container.isPreview = true
            asyncTask.send(
                .preview(ImageResponse(container: container, request: request, urlResponse: partial.response))
            )
        }
    }

    /// Stops making previews: the whole has arrived, or nobody wants it.
    func cancel() { task?.cancel() }

    /// Stops making previews, and waits for the one that is being decoded: a decoder is never called from two threads at once.
    func end() async {
        cancel()
        await task?.value
    }

    private var isTime: Bool {
        guard let lastPreview else { return true }
        return lastPreview.duration(to: .now)
            >= .seconds(pipeline.configuration.progressiveDecodingInterval)
    }

    /// True if the policy wants previews; one that does not is asked again once the data has doubled.
    private func isWanted(_ context: ImageDecodingContext) -> Bool {
        guard policy == .disabled else { return true }
        let count = context.data.count
        guard questions < Self.mostQuestions, questions == 0 || count >= 2 * bytesAtLastQuestion else {
            return false
        }
        questions += 1
        bytesAtLastQuestion = count
        policy = pipeline.delegate.previewPolicy(for: context, pipeline: pipeline)
        return policy != .disabled
    }
}
