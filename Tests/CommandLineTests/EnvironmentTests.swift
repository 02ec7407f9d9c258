import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Options that environment variables set: below the command line, above the manifest, the same in every command.
@Suite(.timeLimit(.minutes(10))) struct EnvironmentTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 0..<3 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
        try job.write(
            #""sources": [{"files": "*.png"}], "outputs": [{"path": "{stem}.{ext}"}], "destination": "manifest""#
        )
    }

    @Test("every option of run has a variable, which its help lists")
    func everyOption() async throws {
        let help = try await job.nukeBatch("run", "--help").lines
        let options = help.compactMap {
            $0.firstMatch(of: /^  (?:-[a-z], )?--([a-z-]+)/).map { String($0.1) }
        }
        let variables = help.drop { $0 != "environment:" }.prefix { $0 != "examples:" }.joined()
        for option in options where option != "help" {
            let name = "NUKE_BATCH_" + option.uppercased().replacing("-", with: "_")
            #expect(variables.contains(name + ",") || variables.hasSuffix(name), "\(name)")
        }
        #expect(options.count > 20 && variables.contains("NUKE_BATCH_STATE,"))
        #expect(try await !job.nukeBatch("version", "--help").output.contains("environment:"))
    }

    @Test("the command line overrides the environment, and that the manifest")
    func precedence() async throws {
        try await job.run(environment: ["NUKE_BATCH_DESTINATION": "env", "NUKE_BATCH_LIMIT": ""])
        #expect(job.files(in: "env").count == 3 && job.files(in: "manifest").isEmpty)
        try await job.run(
            "-o",
            "line",
            "--fresh",
            environment: ["NUKE_BATCH_DESTINATION": "env2", "NUKE_BATCH_CONCURRENCY": "4"]
        )
        #expect(job.files(in: "line").count == 3 && job.files(in: "env2").isEmpty)
    }

    @Test(
        "other commands look at the same job, under both names of the state file",
        arguments: ["NUKE_BATCH_STATE", "NUKE_BATCH_STATE_FILE"]
    )
    func sameJob(variable: String) async throws {
        let environment = [variable: "states/job.sqlite", "NUKE_BATCH_DESTINATION": "env"]
        try await job.run(environment: environment)
        #expect(job.files(in: "states").contains("job.sqlite") && job.files(in: ".nuke-batch").isEmpty)
        let status = try await job.nukeBatch("status", "job.json", environment: environment)
        #expect(status.output.contains("3 done") && status.errors.isEmpty, "\(status.errors)")
        let verify = try await job.nukeBatch("verify", "job.json", environment: environment)
        #expect(verify.exit == 0 && verify.output == "3 outputs checked, 0 damaged\n")
        #expect(try await job.nukeBatch("status", "job.json").output == "never run\n")
    }

    @Test("flags are set by 1, true and yes, and left by 0, false, no and nothing")
    func flags() async throws {
        for value in ["1", "true", "YES"] {
            let run = try await job.run("--fresh", environment: ["NUKE_BATCH_QUIET": value])
            #expect(run.output.isEmpty && run.errors.isEmpty, "\(value)")
        }
        for value in ["0", "false", "no", ""] {
            let run = try await job.run("--fresh", environment: ["NUKE_BATCH_QUIET": value])
            #expect(run.output.contains("3 made"), "\(value)")
        }
        let dry = try await job.run("--fresh", environment: ["NUKE_BATCH_DRY_RUN": "yes"])
        #expect(dry.output.contains("3 new"), "\(dry.output)")
    }

    @Test(
        "a value that cannot be read is exit 2 and names its variable",
        arguments: [
            (
                ["NUKE_BATCH_CONCURRENCY": "many"],
                "NUKE_BATCH_CONCURRENCY takes a whole number from 1 to 1024, not many"
            ),
            (["NUKE_BATCH_JSON": "on"], "NUKE_BATCH_JSON takes 1, true or yes, or 0, false or no, not on"),
            (["NUKE_BATCH_FAIL_ON": "2"], "NUKE_BATCH_FAIL_ON takes any, new, a percentage"),
            (
                ["NUKE_BATCH_STATE": "a", "NUKE_BATCH_STATE_FILE": "b"],
                "NUKE_BATCH_STATE_FILE and NUKE_BATCH_STATE both set --state-file"
            ),
        ]
    )
    func wrong(environment: [String: String], message: String) async throws {
        let run = try await job.run(exit: 2, environment: environment)
        #expect(run.errors.contains(message) && run.output.isEmpty, "\(run.errors)")
        #expect(job.files(in: "manifest").isEmpty)
    }

    @Test("a variable that sets nothing is a warning with the nearest name, but not of a quiet run")
    func unknown() async throws {
        let environment = ["NUKE_BATCH_CONCURENCY": "4", "NUKE_BATCH_EXIT": "0"]
        let run = try await job.run("--progress", "none", environment: environment)
        #expect(
            run.errors == """
                warning: the environment variable NUKE_BATCH_CONCURENCY sets no option; did you mean NUKE_BATCH_CONCURRENCY?

                """
        )
        #expect(try await job.run("-q", environment: environment).errors.isEmpty)
        let status = try await job.nukeBatch("status", "job.json", environment: ["NUKE_BATCH_X": "1"])
        #expect(
            status.exit == 0
                && status.errors.contains("NUKE_BATCH_X sets no option; nuke-batch status --help")
        )
        #expect(try await job.nukeBatch("version", environment: environment).errors.isEmpty)
    }
}
