import JobManifest
import JobStorage

extension CounterIncrements {
    /// Counts an item whose original was loaded, with the result that is recorded of it.
    init(_ outcome: ItemOutcome, recordedAs result: ItemResult) {
        self.init(result.outcome, outputs: outcome.outputs, reusing: outcome.reused)
        add(loaded: outcome.original)
    }

    /// Adds an original that was loaded.
    mutating func add(loaded original: Original) {
        let source =
            switch original.source {
            // The bytes came over the network once, for another item.
            case .network: original.isShared ? "shared" : "network"
            case .cache: "cache"
            case .file: "file"
            }
        add(to: .originals, detail: source)
        add(Double(original.data.count), to: .originalBytes, detail: source)
    }

    /// Counts an item with its outputs; `reused` existed already.
    init(_ outcome: ItemResult.Outcome, outputs: [OutputRecord] = [], reusing reused: [OutputRecord] = []) {
        self.init()
        switch outcome {
        case .done: add(to: .itemResults, detail: "done")
        case .skipped: add(to: .itemResults, detail: "skipped")
        case .failed(let error, _):
            add(to: .itemResults, detail: "failed")
            add(to: .itemFailures, detail: ErrorCode.counted(error))
        case .quarantined(let error, _):
            add(to: .itemResults, detail: "quarantined")
            add(to: .itemFailures, detail: ErrorCode.counted(error))
        }
        for output in outputs {
            add(to: .outputs, detail: output.state == .done ? "made" : output.state.rawValue)
        }
        add(Double(reused.count { $0.state == .done }), to: .outputs, detail: "reused")
    }

    /// Counts an attempt that failed with `error` and is made again.
    init(retryBecauseOf error: String) {
        self.init()
        add(to: .itemRetries, detail: ErrorCode.counted(error))
    }
}
