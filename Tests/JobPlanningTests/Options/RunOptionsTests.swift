import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@Suite struct RunOptionsTests {
    private func manifest(_ more: String = "", environment: [String: String] = [:]) throws -> Manifest {
        let text = PlannedJob.manifest(["https://a.example/1.jpg"], more: more)
        return try ManifestFolder().read(text, environment: environment)
    }

    @Test("options take the place of the manifest's settings, and what is nil leaves them")
    func overrides() throws {
        let manifest = try manifest(
            #", "loading": {"concurrency": 5, "hosts": {"b.example": {"perHost": 2}}}"#
        )
        let same = try RunOptions().applied(to: manifest)
        #expect(same.loading == manifest.loading && same.limits == manifest.limits)
        #expect(same.cache == manifest.cache && same.destination == manifest.destination)
        var options = RunOptions()
        (options.concurrency, options.perHost, options.processing, options.memory) = (7, 3, 2, 1_000_000)
        (options.destination, options.cache) = ("/elsewhere", "/cached")
        (options.maxDuration, options.isRevalidating) = (.seconds(9), true)
        let applied = try options.applied(to: manifest)
        #expect(applied.loading.concurrency == 7 && applied.loading.perHost == 3)
        #expect(applied.loading.hosts["b.example"]?.perHost == 3)
        #expect(applied.limits.processing == 2 && applied.limits.memory == 1_000_000)
        #expect(applied.limits.maxDuration == .seconds(9) && applied.cache.revalidate == .always)
        #expect(applied.destination == .folder("/elsewhere") && applied.destinationText == "/elsewhere")
        #expect(applied.cache.directory == "/cached")
    }

    @Test("the state is in .nuke-batch beside the manifest, and beside it if the manifest is in there itself")
    func stateFolder() throws {
        let folder = try ManifestFolder()
        for (name, state) in [
            ("a.json", ".nuke-batch/a.sqlite"), (".nuke-batch/job.json", ".nuke-batch/job.sqlite"),
            ("x.nuke-batch/job.json", "x.nuke-batch/.nuke-batch/job.sqlite"),
        ] {
            let path = folder.folder.path(name)
            let manifest = try Manifest.read(#"{"sources": [{"urls": []}]}"#, path: path, environment: [:])
            #expect(RunOptions().statePath(of: manifest) == folder.folder.path(state))
            var options = RunOptions()
            options.shard = Partition("2/3")
            #expect(
                options.statePath(of: manifest)
                    == folder.folder.path(state).replacing(".sqlite", with: ".shard-2-of-3.sqlite")
            )
        }
    }

    @Test("warming has no outputs and no facts")
    func warming() throws {
        var options = RunOptions()
        options.isWarming = true
        let applied = try options.applied(to: try manifest(#", "facts": ["size"]"#))
        #expect(applied.outputs.isEmpty && applied.facts.isEmpty && applied.dataset == nil)
    }

    @Test("one output is left of several; one that is not there is wrong input with the names")
    func onlyOutput() throws {
        let two = PlannedJob.manifest(["https://a.example/1.jpg"]).replacing(
            #""outputs": ["#,
            with: #""outputs": [{"name": "wide", "format": "png", "path": "wide/{index}.{ext}"}, "#
        )
        let manifest = try ManifestFolder().read(two)
        var options = RunOptions()
        options.onlyOutput = "small"
        #expect(try options.applied(to: manifest).outputs.map(\.name) == ["small"])
        options.onlyOutput = "tiny"
        let error = #expect(throws: RunError.self) { try options.applied(to: manifest) }
        #expect(error?.exit == .wrongInput)
        #expect(error?.description.hasSuffix("has no output tiny, only: wide, small") == true)
    }

    @Test("HEAD makes no outputs and no facts, but warms")
    func head() throws {
        let manifest = try manifest(#", "loading": {"method": "HEAD"}"#)
        let error = #expect(throws: RunError.self) { try RunOptions().applied(to: manifest) }
        #expect(error?.description.contains("loading.method HEAD loads no images") == true)
        var options = RunOptions()
        options.isWarming = true
        #expect(try options.applied(to: manifest).outputs.isEmpty)
    }

    @Test("the state is named after the manifest, the partition and the option")
    func state() throws {
        let manifest = try manifest()
        var options = RunOptions()
        #expect(options.statePath(of: manifest) == manifest.folder + "/.nuke-batch/job.sqlite")
        options.shard = Partition("2/3")
        #expect(options.statePath(of: manifest) == manifest.folder + "/.nuke-batch/job.shard-2-of-3.sqlite")
        options.state = "/states/own.sqlite"
        #expect(options.statePath(of: manifest) == "/states/own.sqlite")
    }

    @Test("the state is where the manifest says, for partitions with their names in it")
    func stateOfManifest() throws {
        let manifest = try manifest(#", "state": "states/${NAME}.v2.sqlite""#, environment: ["NAME": "own"])
        let path = manifest.folder + "/states/own.v2"
        var options = RunOptions()
        #expect(options.statePath(of: manifest) == path + ".sqlite")
        options.shard = Partition("2/3")
        #expect(options.statePath(of: manifest) == path + ".shard-2-of-3.sqlite")
        options.state = "/states/other.sqlite"
        #expect(options.statePath(of: manifest) == "/states/other.sqlite")
        let other = try self.manifest()
        #expect(
            manifest.outputs.map { manifest.recipe(of: $0, source: 0) }
                == other.outputs.map { other.recipe(of: $0, source: 0) }
        )
    }

    @Test("a manifest from standard input has no state without a name")
    func nameless() throws {
        func read(_ state: String) throws -> Manifest {
            let text = Data("{\"sources\": [{\"urls\": []}]\(state)}".utf8)
            return try Manifest.readRecorded(path: "-", text: text, environment: [:])
        }
        var options = RunOptions()
        let error = #expect(throws: RunError.self) { try options.applied(to: try read("")) }
        #expect(error?.exit == .wrongInput && error?.description.contains("--state-file FILE") == true)
        _ = try options.applied(to: try read(#", "state": "a.sqlite""#))
        options.state = "a.sqlite"
        _ = try options.applied(to: try read(""))
    }

    @Test(
        "each cause has its exit code",
        arguments: [
            (RunError.wrongInput("a"), ExitCode.wrongInput), (.held("a"), .held), (.machine("a"), .machine),
        ]
    )
    func exits(error: RunError, exit: ExitCode) {
        #expect(error.exit == exit && error.description == "a")
    }

    @Test("errors of lists are wrong input, those of the state the machine's, a lock is held")
    func causes() throws {
        #expect(RunError(SourceError("a.txt", "is bad")).exit == .wrongInput)
        #expect(RunError(RunError.held("x")).exit == .held)
        #expect(RunError(CancellationError()).exit == .machine)
        let job = try PlannedJob(items: 1)
        let store = try job.open()
        defer { store.close() }
        let error = #expect(throws: JobStoreError.self) { try job.open() }
        #expect(error.map { RunError($0).exit } == .held)
        #expect(RunError(JobStoreError.noRun).exit == .machine)
        #expect(
            [ExitCode.done, .someFailed, .wrongInput, .held, .machine, .workLeft].map(\.rawValue) == [
                0, 1, 2, 3, 4, 5,
            ]
        )
        #expect([ExitCode.hungUp, .interrupted, .terminated].map(\.rawValue) == [129, 130, 143])
    }
}
