import Foundation
import JobManifest
import NukeBatch

/// The options that notify others of a run's end.
struct FinishHooks: Sendable {
    /// A command for the shell; nil for none.
    var command: String?
    /// nil for none.
    var webhook: Webhook.Address?

    static let table: [Option<FinishHooks>] = [
        .value(
            "--on-finish",
            \.command,
            as: .command,
            help: "Run COMMAND with /bin/sh after the run, with the summary as JSON on its standard input"
        ),
        .value("--webhook", \.webhook, as: .webhook, help: "POST the summary as JSON to URL after the run"),
    ].inEnvironment()

    /// Runs the command and calls the webhook at the same time; their failures are warnings.
    func tell(_ report: RunReport, of manifest: Manifest) async {
        let summary = FinishSummary(report, of: manifest)
        var environment = ProcessInfo.processInfo.environment
        // A command that runs a job would run itself again.
        environment["NUKE_BATCH_ON_FINISH"] = nil
        async let ended = command.map { FinishCommand($0) }?.run(summary, environment: environment)
        async let sent = webhook.map { Webhook($0, network: manifest.network) }?.send(summary)
        for warning in [await ended, await sent].compactMap({ $0 ?? nil }) {
            Output.warn(warning)
        }
    }
}

extension ArgumentValue where Value == String {
    fileprivate static var command: Self {
        ArgumentValue("COMMAND", form: "a command for the shell") { $0.isEmpty ? nil : $0 }
    }
}

extension ArgumentValue where Value == Webhook.Address {
    fileprivate static var webhook: Self {
        ArgumentValue("URL", form: "an http or https URL", read: Webhook.Address.init)
    }
}
