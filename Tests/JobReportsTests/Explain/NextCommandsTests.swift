import JobPlanning
import Testing

@testable import JobReports

@Suite struct NextCommandsTests {
    private var runOptions: RunOptions {
        var options = RunOptions()
        (options.state, options.destination) = ("s p.sqlite", "out")
        return options
    }

    @Test("each command has the options that it takes")
    func options() {
        let commands = NextCommands(manifestPath: "a job.yaml", options: runOptions)
        let state = "--state-file 's p.sqlite'"
        #expect(commands.resume == "nuke-batch run 'a job.yaml' \(state) --destination out")
        #expect(commands.prune == "nuke-batch prune 'a job.yaml' \(state) --destination out")
        #expect(commands.status == "nuke-batch status 'a job.yaml' \(state)")
        #expect(commands.items == "nuke-batch items 'a job.yaml' \(state)")
        #expect(commands.rebuild == "nuke-batch doctor 'a job.yaml' \(state) --rebuild")
    }

    @Test("a manifest from standard input must be given again")
    func standardInput() {
        let commands = NextCommands(manifestPath: "-", options: runOptions)
        #expect(commands.status == "cat MANIFEST | nuke-batch status - --state-file 's p.sqlite'")
        #expect(NextCommands(manifestPath: "./-").resume == "nuke-batch run ./-")
    }
}
