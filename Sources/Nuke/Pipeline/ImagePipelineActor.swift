/// The serial domain of all pipelines, which decides which requests share which work.
///
/// Nothing here blocks or takes long: data is loaded, decoded and processed elsewhere. Of a delegate
/// ``ImagePipeline/Delegate/willLoadData(for:urlRequest:pipeline:)`` always runs here. Its other methods may, the events of
/// tasks and the choice of a decoder among them, and should return soon.
@globalActor
public actor ImagePipelineActor {
    /// The actor.
    public static let shared = ImagePipelineActor()
}
