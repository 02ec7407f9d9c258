import TestSupport
import JobFixtures
import JobPlanning

@testable import Fleet

/// A store with the plan of a job of so many URLs.
struct PlannedFleet {
    let manifest: ManifestFolder
    let store: FleetStore
    let plan: FleetPlan

    init(urls count: Int, limits: PartitionLimits = PartitionLimits()) async throws {
        manifest = try ManifestFolder()
        let urls = (1...count).map { #""https://example.com/\#($0).png""# }
        let job = try manifest.read(
            #"{"sources": [{"urls": [\#(urls.joined(separator: ", "))]}], "outputs": [{}]}"#
        )
        store = try FleetStore(manifest.folder.path("store"), environment: [:], creates: true)
        let scratch = manifest.folder.path("scratch")
        plan = try await FleetPlanner(job, limits: limits, store: store, scratch: scratch).plan().plan
    }
}
