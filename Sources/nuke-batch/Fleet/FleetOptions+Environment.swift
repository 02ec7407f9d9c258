import Fleet
import Foundation

extension FleetOptions {
    /// The environment of this process.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }
}

extension FleetOptions {
    /// The absolute folder for files of this machine.
    var scratchFolder: String { WorkerScratch.folder(scratch, environment: Self.environment) }
}
