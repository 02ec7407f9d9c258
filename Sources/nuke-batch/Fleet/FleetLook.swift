import Fleet
import Foundation
import JobManifest
import JobPlanning

/// `fleet status` and `fleet template`: looks at a store.
struct FleetLook {
    let options: FleetOptions

    func perform() async throws -> ExitCode {
        let store = try options.openStore()
        var status = try await FleetStatus(store)
        while options.isWatching, !status.missing.isEmpty {
            show(status)
            try await Task.sleep(for: .seconds(Terminal.isCapable ? 2 : 10))
            status = try await FleetStatus(store)
        }
        show(status, isLast: true)
        if let path = options.reportPath {
            let page = try await FleetReport(store, status, price: try price()).html
            try Output.write(Data(page.utf8), toFile: path)
        }
        return .done
    }

    /// The price of a worker for an hour.
    private func price() throws -> Double? {
        guard let text = options.price else { return nil }
        guard let price = Double(text), price >= 0, price.isFinite else {
            throw UsageError("--price takes a number such as 0.17, not \(text)")
        }
        return price
    }

    private func show(_ status: FleetStatus, isLast: Bool = false) {
        if options.isJSON { return Output.result(JSONLine.text(status)) }
        if options.isWatching, Terminal.isCapable, !isLast { return Output.show(status.line) }
        if options.isWatching, Terminal.isCapable { Output.show("") }
        Output.result(Output.printableLines(status.text))
    }

    func printTemplate() async throws -> ExitCode {
        let engines = FleetTemplate.allCases.map(\.rawValue).joined(separator: ", ")
        guard let engine = options.target.flatMap(FleetTemplate.init) else {
            throw UsageError("fleet template needs an engine: one of \(engines)")
        }
        let store = try options.openStore()
        let plan = try await store.trustedPlan()
        Output.result(engine.text(TemplateFacts(plan, store: store.place)))
        return .done
    }
}
