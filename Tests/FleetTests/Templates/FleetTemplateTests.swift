import TestSupport
import Testing

@testable import Fleet

/// Submission files for stores with odd names, of which a shell, or an engine that expands its arguments, makes those names again.
@Suite(.timeLimit(.minutes(10))) struct FleetTemplateTests {
    private static let names = [
        "/plain/store", "/a b/$(x) ${HOME}", "s3://jobs/it's \"$$\" `y`; z", "/\\/#'",
    ]

    private func facts(_ store: String) async throws -> TemplateFacts {
        TemplateFacts(try await PlannedFleet(urls: 2).plan, store: store)
    }

    /// Runs a script in which these programs only print their last words, one a line.
    private func run(_ script: String, before: String) async throws -> [String] {
        let folder = try TemporaryFolder()
        try folder.write(before + "\n" + script, to: "fleet.sh")
        let outcome = try await Program(path: "/bin/bash", ["fleet.sh"], in: folder.path).wait()
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return outcome.lines
    }

    @Test("GNU parallel, which gives its words to another shell", arguments: names)
    func parallel(store: String) async throws {
        // As in parallel(1): the words are joined by spaces, and are a command of a shell.
        let before = """
            shown() { for word; do printf '%s\\n' "$word"; done; }
            nuke-batch() { shown "$@"; }
            parallel() {
                while [ "$1" != nuke-batch ]; do shift; done
                while read -r number; do eval "${*//\\{\\}/$number}"; done
            }
            """
        let words = try await run(FleetTemplate.parallel.text(facts(store)), before: before)
        let stores = words.indices.filter { words[$0] == "--store" }.map { words[$0 + 1] }
        #expect(stores == [store, store], "\(words)")
        #expect(words.contains("--partition") && words.filter { $0 == "collect" }.count == 1)
    }

    @Test("Kubernetes, which takes $(NAME) for a variable and $$ for $")
    func kubernetes() async throws {
        let text = FleetTemplate.kubernetes.text(try await facts("/a $(HOME) $$ $\u{301}"))
        #expect(text.contains("\"--store\", \"/a $$(HOME) $$$$ $$\u{301}\""), "\(text)")
        #expect(FleetTemplate.kubernetes.text(try await facts("/plain")).contains(#""--store", "/plain""#))
    }
}
