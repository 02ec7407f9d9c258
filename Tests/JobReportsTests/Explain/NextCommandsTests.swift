import JobManifest
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

    @Test("commands about one partition name it")
    func partition() {
        var options = RunOptions()
        (options.shard, options.destination) = (Partition("2/3"), "out")
        let commands = NextCommands(manifestPath: "job.yaml", options: options)
        #expect(commands.retry == "nuke-batch retry job.yaml --destination out --shard 2/3")
        #expect(commands.prune == "nuke-batch prune job.yaml --destination out --shard 2/3")
        #expect(commands.status == "nuke-batch status job.yaml --shard 2/3")
        #expect(commands.failures == "nuke-batch items job.yaml --shard 2/3 --state failed,quarantined")
    }

    @Test("commands about all partitions look at all, and run one at a time")
    func allPartitions() {
        let commands = NextCommands(manifestPath: "job.yaml", shardCount: 3)
        #expect(commands.resume == "nuke-batch run job.yaml --shard I/3")
        #expect(commands.prune == "nuke-batch prune job.yaml --all-shards")
        #expect(commands.failures == "nuke-batch items job.yaml --all-shards --state failed,quarantined")
    }

    @Test("a manifest from standard input must be given again")
    func standardInput() {
        let commands = NextCommands(manifestPath: "-", options: runOptions)
        #expect(commands.status == "cat MANIFEST | nuke-batch status - --state-file 's p.sqlite'")
        #expect(NextCommands(manifestPath: "./-").resume == "nuke-batch run ./-")
    }
}
