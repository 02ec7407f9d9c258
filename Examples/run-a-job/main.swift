// Runs the job of a manifest from your own program: run-a-job MANIFEST
import Foundation
import JobManifest
import NukeBatch

guard CommandLine.arguments.count == 2 else {
    print("usage: run-a-job MANIFEST")
    exit(2)
}
do {
    let environment = ProcessInfo.processInfo.environment
    let manifest = try Manifest.read(path: CommandLine.arguments[1], environment: environment)
    let runner = try BatchRunner(manifest: manifest) { event in
        if case .itemFinished(let item) = event { print(item) }
    }
    let report = try await runner.run()
    print(report.summary(manifest: CommandLine.arguments[1]))
    exit(report.exit.rawValue)
} catch {
    print("run-a-job: \(error)")
    exit(2)
}
