import Files
import Fleet
import JobManifest
import JobPlanning

/// `fleet work`: does partitions on this machine.
struct FleetWorkCommand: Command {
    var fleet = FleetOptions()
    /// `-` for the numbers on standard input.
    var stream: String?
    var partition: Int?
    var isFromEnvironment = false
    var offset = 0
    var stride = 1
    var isJSON = false

    static let name = CommandName.fleetWork
    static let summary = "Do partitions of a plan on this machine"
    static let operands: [Operand<Self>] = [.optional(.text("-"), \.stream)]
    static let table: [Option<Self>] =
        FleetOptions.table.within(\.fleet) + [
            Option<Self>.value(
                "--partition",
                \.partition,
                as: .number(0...FleetOptions.lastPartition),
                help: "Do partition N"
            ).inEnvironment(),
            .flag(
                "--from-env",
                \.isFromEnvironment,
                help:
                    "Do the partition that the engine names in \(PartitionNumbers.variables.joined(separator: ", "))"
            ),
            .value(
                "--offset",
                \.offset,
                as: .number(0...FleetOptions.lastPartition),
                help: "With --from-env: add N, for arrays that are larger than the engine's"
            ),
            .value(
                "--stride",
                \.stride,
                as: .number(1...1_000_000),
                help: "With --from-env: do N partitions for each number of the engine (default: 1)"
            ),
            .flag("--json", \.isJSON, help: "Print JSON"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch fleet work --store /mnt/nfs/job --partition 0": "Do the first partition",
        "nuke-batch fleet work --store /mnt/nfs/job --from-env":
            "Do the partition that Slurm, Kubernetes or AWS Batch names",
    ]

    func perform() async throws -> ExitCode {
        // A worker whose engine has died would go on with what another one does already.
        try Confinement.endWithParentProcess()
        let numbers = try numbers()
        let store = try fleet.openStore()
        let isStream = numbers == nil
        let worker: FleetWorker
        do {
            worker = try await FleetWorker(
                store,
                scratch: fleet.scratch,
                environment: FleetOptions.environment,
                sandboxProgram: RenderProcessCommand.program,
                hasReader: { !isStream || StandardStreams.isOutputRead }
            )
        } catch {
            Output.message(ErrorMessage(error).text)
            return ErrorMessage(error).exit.ofWorker
        }
        let signals = Signals {
            worker.stop($0)
        } onGivingUp: {
        }
        defer { withExtendedLifetime(signals) {} }
        guard let numbers else { return await answer(worker) }
        var exit = ExitCode.done
        for number in numbers {
            let answer = await worker.work(on: number)
            show(answer)
            if answer.exit != .done { exit = exit == .giveUp ? .giveUp : answer.exit }
            if let stopped = worker.stopped { return stopped }
        }
        return exit
    }

    /// Does the partitions whose numbers come on standard input, and answers each with a line of JSON.
    private func answer(_ worker: FleetWorker) async -> ExitCode {
        while worker.stopped == nil, let line = readLine(strippingNewline: true) {
            guard let number = Int(line), number >= 0, number <= FleetOptions.lastPartition else {
                Output.message("\(Output.printable(line)) is no number of a partition")
                return .giveUp
            }
            let answer = await worker.work(on: number)
            if worker.stopped != nil { break }
            Output.result(JSONLine.text(answer))
            if answer.exit == .giveUp { return .giveUp }
        }
        return worker.stopped ?? .done
    }

    /// The partitions to do; nil for those on standard input.
    private func numbers() throws -> Range<Int>? {
        let ways = [partition != nil, isFromEnvironment, stream == "-"]
        if isFromEnvironment, stream == nil {
            return try PartitionNumbers.fromEnvironment(
                FleetOptions.environment,
                offset: offset,
                stride: stride
            )
        }
        guard ways.count(where: { $0 }) == 1, stream == nil || stream == "-" else {
            throw UsageError("fleet work needs --partition N, --from-env or -, and only one of them")
        }
        return partition.map { $0..<($0 + 1) }
    }

    private func show(_ answer: FleetWorker.Answer) {
        guard !isJSON else { return Output.result(JSONLine.text(answer)) }
        if let error = answer.error {
            return Output.message(Output.printable("partition \(answer.partition): \(error)"))
        }
        let counts = answer.counts?.text ?? (answer.committed ? "committed already" : "beyond the plan")
        Output.result("partition \(answer.partition): \(counts), \(Quantity.duration(answer.seconds))")
    }
}
