import Files
import Fleet
import JobManifest
import JobPlanning

/// `fleet work`: does partitions on this machine.
struct FleetWork {
    let options: FleetOptions

    func perform() async throws -> ExitCode {
        // A worker whose engine has died would go on with what another one does already.
        try Confinement.endWithParentProcess()
        let numbers = try numbers()
        let store = try options.openStore()
        let isStream = numbers == nil
        let worker: FleetWorker
        do {
            worker = try await FleetWorker(
                store,
                scratch: options.scratch,
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
        let ways = [options.partition != nil, options.isFromEnvironment, options.target == "-"]
        if options.isFromEnvironment, options.target == nil {
            return try PartitionNumbers.fromEnvironment(
                FleetOptions.environment,
                offset: options.offset,
                stride: options.stride
            )
        }
        guard ways.count(where: { $0 }) == 1, options.target == nil || options.target == "-" else {
            throw UsageError("fleet work needs --partition N, --from-env or -, and only one of them")
        }
        return options.partition.map { $0..<($0 + 1) }
    }

    private func show(_ answer: FleetWorker.Answer) {
        guard !options.isJSON else { return Output.result(JSONLine.text(answer)) }
        if let error = answer.error {
            return Output.message(Output.printable("partition \(answer.partition): \(error)"))
        }
        let counts = answer.counts?.text ?? (answer.committed ? "committed already" : "beyond the plan")
        Output.result("partition \(answer.partition): \(counts), \(Quantity.duration(answer.seconds))")
    }
}
