import Foundation
import JobStorage
import SQLite
import TestSupport

/// A job in a folder of its own, with the rows and results that tests need.
struct TestJob {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("state/job.sqlite")
    }

    func open(_ clock: StateClock = StateClock()) throws -> JobStore {
        try JobStore(path: path, clock: clock)
    }

    /// The length of the state's file in bytes.
    func size() throws -> Int {
        try integer(
            "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"
        )
    }

    /// Runs a query for one integer.
    func integer(_ sql: String) throws -> Int {
        Int(try Connection(path: path, mode: .readOnly).integer(sql))
    }
}

/// The item number `ordinal` of a list, on one of the `hosts`.
func row(_ ordinal: Int, host: String = "a.example", priority: Int = 2, source: Int = 0) -> NewItem {
    NewItem(ordinal: ordinal, url: "https://\(host)/photos/2024/\(ordinal).jpg", host: host) {
        $0.priority = priority
        $0.source = source
        $0.location = "urls.txt:\(ordinal)"
    }
}

let small = OutputRecipe(source: 0, output: "small", recipe: "width 320")

extension JobStore {
    @discardableResult
    func plan(_ items: [NewItem], recipes: [OutputRecipe] = [small]) throws -> PlanCounts {
        let planning = try beginPlanning(manifestSHA256: "m")
        try planning.add(items)
        return try planning.finish(lists: "l", recipes: recipes)
    }

    /// Claims everything and ends each item as done, with an output for each recipe of its source.
    func finishAll(_ recipes: [OutputRecipe] = [small]) async throws {
        while true {
            let items = try await claim(limit: 256)
            guard !items.isEmpty else { return }
            try await withThrowingTaskGroup { group in
                for item in items {
                    group.addTask { try await self.record(done(item, recipes), of: item) }
                }
                try await group.waitForAll()
            }
        }
    }
}

let originalHash = String(repeating: "0f", count: 32)

func done(_ item: ClaimedItem, _ recipes: [OutputRecipe] = [small]) -> ItemResult {
    ItemResult(
        .done,
        cacheKey: item.url,
        originalSHA256: originalHash,
        outputs: recipes.filter { $0.source == item.source }.map {
            output($0, path: "\($0.output)/\(item.ordinal).jpg")
        },
        attempt: AttemptResult(started: 1, milliseconds: 2, outcome: "done") {
            $0.http = 200
            $0.bytes = 3
        }
    )
}

func output(_ recipe: OutputRecipe, path: String) -> OutputRecord {
    OutputRecord(name: recipe.output, recipe: recipe.recipe, state: .done) {
        $0.path = path
        $0.spec = originalHash
        $0.bytes = 4000
        $0.sha256 = String(repeating: "a1", count: 32)
        $0.width = 320
        $0.height = 213
        $0.encoder = "libjpeg-turbo 2.1.5"
    }
}
