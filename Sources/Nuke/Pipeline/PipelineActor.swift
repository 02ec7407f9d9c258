/// Where the books of all pipelines are kept: which requests share which work.
///
/// Nothing here takes long or waits: data is loaded, decoded and processed elsewhere.
@globalActor
actor PipelineActor {
    static let shared = PipelineActor()
}
