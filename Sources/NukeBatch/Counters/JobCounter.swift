import JobStorage

/// The counters that the runs of a job keep in its state; the raw values are their names there.
///
/// Each counts from the creation of the state, so that it grows over runs. What a run has counted is committed together with
/// what it counts, or soon after.
enum JobCounter: String, CaseIterable {
    case itemResults = "item_results"
    case itemFailures = "item_failures"
    case itemRetries = "item_retries"
    case outputs
    case originals
    case originalBytes = "original_bytes"
    case requests
    case requestBuckets = "request_duration_seconds_bucket"
    case requestSeconds = "request_duration_seconds_sum"
    case responseBytes = "response_bytes"
    case edgeResponses = "edge_responses"
    case waitingSeconds = "waiting_seconds"
}

extension CounterIncrements {
    /// Adds an amount to one of the job's counters.
    mutating func add(
        _ amount: Double = 1,
        to counter: JobCounter,
        hostClass: String = "",
        detail: String = ""
    ) {
        add(amount, to: Counter(counter.rawValue, hostClass: hostClass, detail: detail))
    }
}
