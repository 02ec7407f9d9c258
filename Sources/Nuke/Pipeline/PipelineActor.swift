/// The serial domain of all pipelines: it decides which requests share which work.
///
/// Nothing here blocks or takes long: data is loaded, decoded and processed elsewhere.
@globalActor
actor PipelineActor {
    static let shared = PipelineActor()
}
