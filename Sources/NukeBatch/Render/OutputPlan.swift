import Imaging
import JobPlanning
import JobStorage

/// The work that an original is loaded for: outputs to render, outputs to reuse, and facts to extract.
struct OutputPlan: Sendable {
    /// The recipes of the outputs to render.
    let recipes: [Recipe]
    /// Outputs that earlier runs made from the same bytes with the same recipes.
    var reused: [OutputRecord] = []
    /// Outputs that are skipped or fail whatever the original shows, with their reasons.
    var decided: [OutputRecord] = []
    let facts: FactExtractor

    /// Throws if no output may show the brightness of the original, which is refused as a whole then.
    func check(_ header: ImageHeader) throws(ImagingError) {
        let refusals = recipes.map { $0.refusal(of: header) }
        if let refusal = refusals.first ?? nil, !refusals.contains(nil) { throw refusal }
    }

    /// True if neither the header nor the pixels are needed.
    var isEmpty: Bool { recipes.isEmpty && facts.isDone }
}

extension OutputPlan {
    /// Plans to skip every output for `reason`.
    init(skipping recipes: [Recipe], reason: String) {
        let decided = recipes.map { OutputRecord.skipped($0, reason: reason) }
        self.init(recipes: [], decided: decided, facts: .none)
    }
}

/// The rendered outputs of an original and its facts.
struct Rendering: Sendable {
    /// One for each recipe of the plan, in its order.
    let outputs: [RenderedOutput]
    /// Nil if no facts are requested.
    let facts: ItemFacts?
    /// The memory that the outputs take until they are written; nil in a child process.
    var lease: Admission.Lease?

    /// The encoded bytes of all outputs.
    var bytes: Int { outputs.reduce(0) { $0 + $1.bytes } }
}
