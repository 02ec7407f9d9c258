import Foundation
@testable import ObjectStorage

/// Buckets on servers that were started for the tests.
enum S3Bucket {
    static func make(_ name: String, by client: S3Client) async throws {
        let request = S3Request("PUT", ObjectLocation(bucket: name, key: ""))
        _ = try await client.send(request, to: "make", limit: S3Client.shortAnswer) { $0 }
    }
}
