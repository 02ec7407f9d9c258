import Imaging
import JobManifest
import JobPlanning
import Testing

/// Errors of manifests that a program builds: those of a file, without its lines.
@Suite struct BuiltErrorTests {
    @Test("all errors are told at once, each with the key that a file would have")
    func all() {
        var retry = RetrySettings()
        retry.attempts = 0
        let output = ManifestOutput(
            processors: [.resize(Resize(width: 0))],
            format: .encoded(.jpeg(JPEGOptions(quality: 101)))
        )
        let error = #expect(throws: ManifestErrors.self) {
            try Manifest(sources: [], outputs: [output], state: "x.sqlite", retry: retry)
        }
        #expect(
            error?.errors.map(\.description) == [
                "the manifest: outputs[0].format.jpeg.quality: should be from 1 to 100, not 101",
                "the manifest: outputs[0].processors[0].resize.width: should be from 1 to 65500, not 0",
                "the manifest: retry.attempts: should be from 1 to 100, not 0",
                "the manifest: sources: is empty: add at least one source",
            ]
        )
        #expect(error?.errors.allSatisfy { $0.line == nil && $0.column == nil } == true)
    }

    /// The default settings with a change.
    private static func settings(_ change: (inout LoadingSettings) -> Void) -> LoadingSettings {
        var settings = LoadingSettings()
        change(&settings)
        return settings
    }

    @Test(
        "a value that a manifest cannot write is refused, not changed",
        arguments: [
            ("loading.rate", settings { $0.rate = Rate(count: 5, seconds: 10) }),
            ("loading.timeout", settings { $0.timeout = .microseconds(1500) }),
            ("loading.timeout", settings { $0.timeout = .seconds(-1) }),
            ("loading.totalTimeout", settings { $0.totalTimeout = .seconds(Int64.max) }),
            ("loading.headers.A", settings { $0.headers = ["A": "b\nc"] }),
            ("loading.userAgent", settings { $0.userAgent = "${NO_SUCH_VARIABLE}" }),
        ]
    )
    func loading(path: String, settings: LoadingSettings) {
        let error = #expect(throws: ManifestErrors.self) {
            try Manifest(sources: [.urls([])], state: "x", loading: settings, environment: [:])
        }
        #expect(error?.errors.map(\.path) == [path], "\(String(describing: error))")
    }

    @Test(
        "sources are looked for, and a state has a name",
        arguments: [
            (.files("/no/such/folder/*.jpg"), "x", "sources[0]"),
            (.list("/no/such.csv"), "x", "sources[0]"), (.files(), "x", "sources[0].files"),
            (.urls([]), "", "state"), (.urls([]), "states/", "state"),
        ] as [(ManifestSource, String, String)]
    )
    func places(source: ManifestSource, state: String, path: String) {
        let error = #expect(throws: ManifestErrors.self) { try Manifest(sources: [source], state: state) }
        #expect(error?.errors.map(\.path) == [path], "\(String(describing: error))")
    }
}
