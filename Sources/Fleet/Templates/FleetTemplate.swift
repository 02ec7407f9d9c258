/// A submission file for an engine that runs a fleet's workers.
package enum FleetTemplate: String, Sendable, CaseIterable {
    case slurm, kubernetes
    case awsBatch = "aws-batch"
    case spark, parallel

    /// Returns the file, filled in.
    package func text(_ facts: TemplateFacts) -> String {
        switch self {
        case .slurm: SlurmTemplate.text(facts)
        case .kubernetes: KubernetesTemplate.text(facts)
        case .awsBatch: AWSBatchTemplate.text(facts)
        case .spark: SparkTemplate.text(facts)
        case .parallel: ParallelTemplate.text(facts)
        }
    }
}
