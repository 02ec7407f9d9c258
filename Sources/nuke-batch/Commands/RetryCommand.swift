import JobManifest
import JobPlanning
import JobReports

/// `retry`: requeues failed and quarantined items, or changes priorities, and then runs the job.
struct RetryCommand: JobCommand {
    var job = JobOptions()
    var presentation = RunPresentation()
    var selection = ItemSelection()
    /// The priority that waiting items get; nil requeues failed items instead.
    var priority: ItemPriority?

    static let name = CommandName.retry
    static let summary = "Requeue failed and quarantined items, then run the job"
    static let table =
        ItemSelection.table.within(\Self.selection) + [
            .value(
                "--priority",
                \.priority,
                as: .choice("PRIORITY"),
                help: "Set the priority of waiting items instead, even during a run: veryLow to veryHigh"
            )
        ] + (RunOptions.planning + RunOptions.execution).within(\.job.run)
        + ([RunPresentation.dryRun] + RunPresentation.table).within(\.presentation)

    static let examples: CommandExamples = [
        "nuke-batch retry jobs/thumbnails.json": "Try all failed items again",
        "nuke-batch retry jobs/thumbnails.json --error http_404 -n":
            "Show what trying the missing images again would do",
    ]

    func perform() async throws -> ExitCode {
        let manifest = try job.manifest()
        if presentation.isDryRun {
            return try await DryRun.show(
                manifest,
                options: job.run,
                requeuing: priority == nil ? selection : nil,
                isJSON: presentation.isJSON
            )
        }
        let state = try job.state(of: manifest)
        if let priority {
            guard try await change(priority, in: state) else { return .done }
        } else {
            let count = try state.putBack(selection)
            show("\(count) item\(count == 1 ? "" : "s") requeued")
            guard count > 0 || selection.isEmpty else {
                show("no failed or quarantined item matches; nothing was run")
                return try exit(of: state)
            }
        }
        return try await RunSession(manifest, job: job, presentation: presentation).perform()
    }

    /// The exit code for a job of which nothing was run.
    private func exit(of state: JobState) throws(RunError) -> ExitCode {
        let status = try state.status()
        let items = status.items ?? 0
        if status.finished < items { return .workLeft }
        let isFailure = job.run.failOn.fails(
            failed: status.failures.values.reduce(0, +),
            new: try state.newFailures(),
            items: items
        )
        return isFailure ? .someFailed : .done
    }

    /// Gives the selected waiting items another priority.
    /// - Returns: False if another process runs the job: it was asked to change the priority.
    private func change(_ priority: ItemPriority, in state: JobState) async throws -> Bool {
        switch try await state.changePriority(of: selection, to: priority) {
        case .done(let count):
            show("\(count) item\(count == 1 ? "" : "s") changed to \(priority.rawValue)")
            return true
        case .asked(let sentence):
            show("\(Output.printable(sentence)): it was asked to change the priority")
            return false
        }
    }

    private func show(_ message: String) {
        if !presentation.isQuiet { Output.message(message) }
    }
}
