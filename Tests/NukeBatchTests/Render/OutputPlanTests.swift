import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@testable import NukeBatch

@Suite struct OutputPlanTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}],
         "outputs": [{"name": "small", "format": "jpeg"}, {"name": "copy", "format": "original"}]}
        """#

    private let job: RunningJob

    init() throws {
        job = try RunningJob(Self.text)
    }

    @Test("a plan is empty if nothing is to be rendered and every fact is known")
    func empty() throws {
        let recipes = try job.manifest.recipes(["small"])
        let (none, unknown) = (
            FactExtractor([], recorded: nil), FactExtractor([.size], recorded: nil)
        )
        let known = FactExtractor([.size], recorded: ItemFacts([.size: .string("known")]))
        #expect(OutputPlan(recipes: [], facts: none).isEmpty)
        #expect(OutputPlan(recipes: [], reused: [output("small")], facts: known).isEmpty)
        #expect(!OutputPlan(recipes: [], facts: unknown).isEmpty)
        #expect(!OutputPlan(recipes: recipes, facts: known).isEmpty)
        #expect(!OutputPlan(recipes: recipes, facts: none).isEmpty)
    }

    @Test("a plan that skips all has a reason for each output, and nothing to do")
    func skipping() throws {
        let recipes = try job.manifest.recipes(["small", "copy"])
        let plan = OutputPlan(skipping: recipes, reason: "opt_out")
        #expect(plan.isEmpty)
        #expect(plan.reused.isEmpty)
        #expect(plan.facts.asked.isEmpty)
        #expect(plan.decided.map(\.name) == ["small", "copy"])
        #expect(plan.decided.allSatisfy { $0.state == .skipped && $0.reason == "opt_out" })
        #expect(plan.decided.map(\.recipe) == recipes.map(\.digest))
        #expect(OutputPlan(recipes: recipes, facts: plan.facts).decided.isEmpty)
    }

    @Test("a copy shares the original's bytes, everything else counts")
    func bytes() throws {
        let recipes = try job.manifest.recipes(["small", "copy"])
        let outputs = [
            rendered(recipes[0], "12345"), rendered(recipes[1], "1234567"), rendered(recipes[0], "123"),
            RenderedOutput(recipe: recipes[0], result: .skipped("exists")),
            RenderedOutput(recipe: recipes[0], result: .failed(itemError("limits"))),
        ]
        #expect(outputs.map(\.bytes) == [5, 0, 3, 0, 0])
        #expect(Rendering(outputs: outputs, facts: nil).bytes == 8)
        #expect(Rendering(outputs: [], facts: nil).bytes == 0)
    }
}
