import JobManifest
import JobPlanning
import ObjectStorage

/// The findings about what sources have in buckets: that each bucket can be listed, and each list be read.
struct SourceFindings {
    let manifest: Manifest

    /// The findings, one for each place that a run asks first; none without sources in buckets.
    func all() async -> [Diagnosis.Finding] {
        guard manifest.usesObjectStore else { return [] }
        let client: S3Client
        do throws(RunError) {
            guard let service = try manifest.objectStorage() else {
                return [
                    Diagnosis.Finding(
                        "source",
                        .trouble,
                        message: "the sources in s3:// need the scheme s3",
                        remedy: "add it to network.schemes"
                    )
                ]
            }
            client = S3Client(
                service,
                pacing: BucketPacing(manifest.storage.s3),
                idleTimeout: manifest.loading.timeout
            )
        } catch {
            return [Diagnosis.Finding("source", .trouble, message: error.description)]
        }
        var findings: [Diagnosis.Finding] = []
        for place in listed {
            findings.append(
                await Self.finding("\(place) can be listed") { () throws(StoreError) in
                    try await S3Store(client, at: place).checkListing()
                }
            )
        }
        for object in read {
            findings.append(
                await Self.finding("\(object) can be read") { () throws(StoreError) in
                    _ = try await ObjectReader(client, object)
                }
            )
        }
        return findings
    }

    /// The buckets and beginnings of keys that are listed, each once.
    private var listed: [ObjectLocation] {
        var seen: Set<ObjectLocation> = []
        return manifest.sources.flatMap { source in
            let selection: ObjectSelection? =
                switch source.kind {
                case .objects(let selection): selection
                case .list(let list): list.objects
                default: nil
                }
            return (selection?.targets ?? []).map { ObjectLocation(bucket: $0.bucket, key: $0.prefix) }
        }.filter { seen.insert($0).inserted }
    }

    /// The lists and the manifests of inventories, each once.
    private var read: [ObjectLocation] {
        var seen: Set<ObjectLocation> = []
        return manifest.sources.compactMap { source in
            switch source.kind {
            case .objects(let selection): selection.inventory.flatMap { ObjectLocation($0) }
            case .list(let list) where list.objects == nil: list.location.flatMap { ObjectLocation($0) }
            default: nil
            }
        }.filter { seen.insert($0).inserted }
    }

    private static func finding(
        _ success: String,
        _ request: () async throws(StoreError) -> Void
    ) async -> Diagnosis.Finding {
        do throws(StoreError) {
            try await request()
            return Diagnosis.Finding("source", .ok, message: success)
        } catch {
            return Diagnosis.Finding(
                "source",
                .trouble,
                message: error.description,
                remedy: BucketFindings.remedy(for: error)
            )
        }
    }
}
