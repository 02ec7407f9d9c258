/// The text format of a metrics file.
public enum MetricsFormat: String, Sendable, CaseIterable {
    /// OpenMetrics 1.0, which readers of the Prometheus text format also read, without the types of counters.
    case openmetrics
    /// The Prometheus text format (version 0.0.4), with the types of counters.
    case prometheus
}
