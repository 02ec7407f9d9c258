import Fleet
import Foundation
import JobManifest
import JobPlanning

/// `fleet status`: looks at a store.
struct FleetStatusCommand: Command {
    var fleet = FleetOptions()
    var isWatching = false
    var isJSON = false
    var reportPath: String?
    var price: String?

    static let name = CommandName.fleetStatus
    static let summary = "Count what is committed, what runs and what is missing"
    static let table: [Option<Self>] =
        FleetOptions.table.within(\.fleet) + [
            .flag("--watch", \.isWatching, help: "Follow the fleet until everything is committed"),
            .value("--report", \.reportPath, as: .file, help: "Write a page about the fleet to FILE"),
            .value(
                "--price",
                \.price,
                as: .text("PRICE"),
                help: "With --report: estimate the cost at PRICE an hour and worker"
            ),
            .flag("--json", \.isJSON, help: "Print JSON"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch fleet status --store /mnt/nfs/job --watch":
            "Follow the fleet until everything is committed",
        "nuke-batch fleet status --store /mnt/nfs/job --report fleet.html --price 0.17":
            "Write a page with partitions over time, stragglers, hosts and the cost",
    ]

    func perform() async throws -> ExitCode {
        let store = try fleet.openStore()
        var watch = try await FleetWatch(store)
        var status = try await watch.status()
        while isWatching, !status.missing.isEmpty {
            show(status)
            try await Task.sleep(for: .seconds(Terminal.isCapable ? 2 : 10))
            status = try await watch.status()
        }
        show(status, isLast: true)
        if let path = reportPath {
            let page = try await FleetReport(store, status, price: try hourlyPrice()).html
            try Output.write(Data(page.utf8), toFile: path)
        }
        return .done
    }

    /// The price of a worker for an hour.
    private func hourlyPrice() throws -> Double? {
        guard let text = price else { return nil }
        guard let price = Double(text), price >= 0, price.isFinite else {
            throw UsageError("--price takes a number such as 0.17, not \(text)")
        }
        return price
    }

    private func show(_ status: FleetStatus, isLast: Bool = false) {
        if isJSON { return Output.result(JSONLine.text(status)) }
        if isWatching, Terminal.isCapable, !isLast { return Output.show(status.line) }
        if isWatching, Terminal.isCapable { Output.show("") }
        Output.result(Output.printableLines(status.text))
    }
}
