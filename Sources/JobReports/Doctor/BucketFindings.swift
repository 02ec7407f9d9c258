import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The findings about a destination in a bucket: that it can be reached, how it answers conditional requests, and the
/// uploads that were left unfinished.
struct BucketFindings {
    let manifest: Manifest
    let options: RunOptions

    /// The findings; none for a folder.
    func all() async -> [Diagnosis.Finding] {
        let store: S3Store
        do throws(RunError) {
            guard let found = try manifest.destinationStore() else { return [] }
            store = found
        } catch {
            return [Diagnosis.Finding("bucket", .trouble, message: error.description)]
        }
        do throws(StoreError) {
            return [try await conditions(store)] + (await uploads(store))
        } catch {
            return [
                Diagnosis.Finding(
                    "bucket",
                    .trouble,
                    message: "\(store) takes no objects: \(error)",
                    remedy: Self.remedy(for: error)
                )
            ]
        }
    }

    /// The remedy for a request that failed; nil for the answer of a service, which comes with its own.
    static func remedy(for error: StoreError) -> String? {
        guard error.service == nil else { return nil }
        return error.reason == .unavailable
            ? "the endpoint does not answer: check its address and that the service runs"
            : "check storage.s3 and the credentials"
    }

    private func conditions(_ store: S3Store) async throws(StoreError) -> Diagnosis.Finding {
        guard try await honoursConditions(store) else {
            return Diagnosis.Finding(
                "bucket",
                .note,
                message:
                    "\(store) takes objects, but does not honour If-None-Match: with \"existing\": \"keep\" it is only looked before an "
                    + "object is written, and partitions must not share a dataset's destination"
            )
        }
        return Diagnosis.Finding("bucket", .ok, message: "\(store) takes objects, and honours If-None-Match")
    }

    private func honoursConditions(_ store: S3Store) async throws(StoreError) -> Bool {
        do throws(StoreError) { return try await store.honoursConditions(below: "") } catch {
            guard error.service?.status == 501 else { throw error }
            // It refuses the condition alone; an object without one shows the permissions.
            let probe = ".nuke-batch-probe"
            try await store.put(Data(), at: probe)
            try await store.delete(probe)
            return false
        }
    }

    /// The unfinished uploads at keys of this job.
    private func uploads(_ store: S3Store) async -> [Diagnosis.Finding] {
        do throws(StoreError) {
            let open = try await store.uploads().filter { isOwn($0.key) }
            guard !open.isEmpty else {
                return [
                    Diagnosis.Finding("uploads", .ok, message: "no unfinished upload is left in \(store)")
                ]
            }
            let named = open.prefix(3).map(\.key).joined(separator: ", ")
            let more = open.count > 3 ? ", …" : ""
            return [
                Diagnosis.Finding(
                    "uploads",
                    .note,
                    message:
                        "\(Quantity.count(open.count, "unfinished upload")) in \(store): \(named)\(more)",
                    remedy:
                        "run the job, which continues or removes them; a lifecycle rule removes those of other jobs"
                )
            ]
        } catch {
            return [
                Diagnosis.Finding(
                    "uploads",
                    .note,
                    message: "unfinished uploads cannot be listed: \(error)",
                    remedy: error.reason == .refused ? "allow s3:ListBucketMultipartUploads" : nil
                )
            ]
        }
    }

    /// True for a shard or a file at the end of a run, and for a path that the state knows.
    private func isOwn(_ key: String) -> Bool {
        if manifest.dataset?.pack != nil, Shard.number(of: key) != nil { return true }
        if key == manifest.dataset?.index { return true }
        guard let reader = try? JobReader(path: options.statePath(of: manifest)) else { return false }
        return (try? reader.wantedPaths(among: [BytePath(key)]).isEmpty) == false
    }
}
