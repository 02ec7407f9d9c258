/// The serial domain of all pipelines, which decides which requests share which work.
///
/// Nothing here blocks or takes long: data is loaded, decoded and processed elsewhere. Of a delegate only
/// ``ImagePipeline/Delegate/willLoadData(for:urlRequest:pipeline:)`` runs here.
@globalActor
public actor ImagePipelineActor {
    /// The actor.
    public static let shared = ImagePipelineActor()
}
