import Foundation
import JobFixtures
import JobPlanning
import JobStorage
import TestSupport
import Testing

@Suite struct CacheCheckTests {
    private func perform(_ job: PlannedJob, isOffline: Bool = false) throws -> String? {
        let store = try job.open()
        defer { store.close() }
        let manifest = try job.options.applied(to: job.manifest)
        return try CacheCheck(manifest, isOffline: isOffline, store: store)?.perform()
    }

    @Test("that a cache is gone is said once, until there is one again, and never offline")
    func gone() async throws {
        var job = try PlannedJob(items: 2)
        #expect(try perform(job) == nil, "nothing was ever in it")
        try await job.run { store, item in try await job.finish(item, in: store) }
        for isOffline in [true, false] {
            job.options.isOffline = isOffline
            let forecast = try await Forecast(
                manifest: job.manifest,
                options: job.options
            )
            #expect(forecast.warnings.contains { $0.contains("is gone") } == !isOffline)
        }
        #expect(try perform(job, isOffline: true) == nil)
        #expect(try perform(job)?.contains("is gone") == true && perform(job) == nil)
        try job.folder.folder.write("", to: "cache/index.sqlite")
        #expect(try perform(job) == nil)
        try FileManager.default.removeItem(atPath: job.folder.folder.path("cache"))
        #expect(try perform(job)?.contains("is gone") == true)
    }
}
