import Files
import Foundation
import Synchronization

/// Answers the requests of a ``LoopbackObjectStore``: parse, verify, carry out, each with the faults that a test asks for.
final class ObjectStoreService: Sendable {
    typealias Operation = LoopbackObjectStore.Operation
    typealias Fault = LoopbackObjectStore.Fault
    typealias Object = LoopbackObjectStore.Object
    typealias Upload = LoopbackObjectStore.Upload
    typealias Response = LoopbackServer.Response

    /// The parts that a test may change at any time.
    struct Settings: Sendable {
        var credentials: [AccessKey]
        var clockOffset: TimeInterval = 0
        var minimumPartSize = 5 * 1024 * 1024
        var fault: @Sendable (Operation) -> Fault? = { _ in nil }
    }

    /// The operations so far.
    struct Log: Sendable {
        var operations: [Operation] = []
        var counts: [Operation.Kind: Int] = [:]
        var total = 0
    }

    /// The objects and uploads.
    struct Contents: Sendable {
        var buckets: [String: BucketContents]
        var uploads: [String: Upload] = [:]
        var uploadCount = 0
        var versionCount = 0

        /// Returns the version of the next object of a bucket; nil in one without versions.
        mutating func nextVersion(in bucket: String) -> String? {
            versionCount += 1
            guard buckets[bucket]?.bucket.isVersioned == true else { return nil }
            return Digest.sha256.hex(of: "version \(versionCount)").prefix(32).description
        }

        /// Throws unless there is such a bucket, and its objects may be changed.
        func checkWritable(_ bucket: String) throws(ObjectStoreError) {
            guard let known = buckets[bucket]?.bucket else { throw .noSuchBucket(bucket) }
            guard known.generated == nil else {
                throw .accessDenied("The objects of this bucket are generated")
            }
        }
    }

    /// An operation and how it is to be carried out.
    struct Context {
        let operation: Operation
        let now: Date
        let ignoresConditions: Bool
        let fault: Fault?

        var request: LoopbackServer.Request { operation.request }
        var key: ObjectKey { ObjectKey(operation.key) }
    }

    let region: String
    let settings: Mutex<Settings>
    let log = Mutex(Log())
    let contents: Mutex<Contents>
    private let verifier = SignatureVerifier()

    init(buckets: [LoopbackObjectStore.Bucket], credentials: [AccessKey], region: String) {
        self.region = region
        settings = Mutex(Settings(credentials: credentials))
        contents = Mutex(
            Contents(buckets: Dictionary(uniqueKeysWithValues: buckets.map { ($0.name, BucketContents($0)) }))
        )
    }

    /// Begins an operation when the head of its request is there.
    func receive(_ head: LoopbackServer.Request) -> LoopbackServer.Reception {
        var parsed: Operation
        do throws(ObjectStoreError) {
            parsed = try Operation(head)
        } catch {
            return .body { _ in .failure(error, resource: head.path, requestID: "0") }
        }
        let fault = settings.withLock { $0.fault }
        let total = log.withLock { log in
            log.total += 1
            log.counts[parsed.kind, default: 0] += 1
            parsed.number = log.counts[parsed.kind, default: 0]
            log.operations.append(parsed)
            return log.total
        }
        let operation = parsed
        let chosen = fault(operation)
        let requestID = Self.requestID(total)
        if case .resetInsideRequest(let count) = chosen { return .reset(afterBytes: count) }
        // As S3, which does not invite a body for nothing.
        if case .error = chosen, head.headers["expect"]?.lowercased() == "100-continue",
            let response = chosen?.replacement(requestID: requestID, resource: head.path)
        {
            return .response(response)
        }
        return .body { request in
            var whole = operation
            whole.request = request
            var response = self.respond(to: whole, chosen, requestID: requestID)
            // By the store's own clock, from which a client can learn how wrong its own is.
            let now = Date(timeIntervalSinceNow: self.settings.withLock { $0.clockOffset })
            response.headers.append(("Date", SignedDate.http(now)))
            return response
        }
    }

    private func respond(to operation: Operation, _ chosen: Fault?, requestID: String) -> Response {
        let fault = Fault.afterWaiting(chosen)
        let resource = operation.request.path
        do throws(ObjectStoreError) {
            let context = try verify(operation, fault)
            if let replacement = fault?.replacement(requestID: requestID, resource: resource) {
                return replacement
            }
            var response = try perform(context)
            response.headers.append(("x-amz-request-id", requestID))
            fault?.apply(to: &response)
            return response
        } catch {
            return .failure(error, resource: resource, requestID: requestID)
        }
    }

    private func verify(_ operation: Operation, _ fault: Fault?) throws(ObjectStoreError) -> Context {
        let (credentials, offset) = settings.withLock { ($0.credentials, $0.clockOffset) }
        let now = Date(timeIntervalSinceNow: offset)
        let signature = try verifier.verify(
            operation.request,
            path: operation.path,
            parameters: operation.parameters,
            credentials: credentials,
            at: now.addingTimeInterval(fault?.clockSkew ?? 0)
        )
        try checkRegion(signature.region, of: operation)
        return Context(
            operation: operation,
            now: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)),
            ignoresConditions: fault?.ignoresConditions ?? false,
            fault: fault
        )
    }

    /// A bucket of another region redirects who signs for this one; who signs for a third is told the bucket's.
    private func checkRegion(_ region: String, of operation: Operation) throws(ObjectStoreError) {
        guard !operation.bucket.isEmpty else {
            if region != self.region { throw .wrongRegion(region, expected: self.region) }
            return
        }
        let bucket = contents.withLock { $0.buckets[operation.bucket]?.bucket }
        guard let bucket else { throw .noSuchBucket(operation.bucket) }
        let expected = bucket.region ?? self.region
        if region != expected {
            if region == self.region {
                let host = operation.request.headers["host"] ?? ""
                throw .permanentRedirect(bucket: bucket.name, region: expected, endpoint: host)
            }
            throw .wrongRegion(region, expected: expected)
        }
        let payer =
            operation.request.headers["x-amz-request-payer"] ?? operation.parameter("x-amz-request-payer")
        if bucket.requesterPays, payer != "requester" {
            throw .accessDenied("Access Denied: the bucket requires x-amz-request-payer: requester")
        }
    }

    private func perform(_ context: Context) throws(ObjectStoreError) -> Response {
        guard context.operation.key.utf8.count <= 1024 else {
            throw ObjectStoreError(400, code: "KeyTooLongError", "Your key is too long")
        }
        return switch context.operation.kind {
        case .getObject, .headObject: try getObject(context)
        case .putObject: try putObject(context)
        case .deleteObject: try deleteObject(context)
        case .deleteObjects: try deleteObjects(context)
        case .listObjects: try listObjects(context)
        case .createMultipartUpload: try createMultipartUpload(context)
        case .uploadPart: try uploadPart(context)
        case .listParts: try listParts(context)
        case .completeMultipartUpload: try completeMultipartUpload(context)
        case .abortMultipartUpload: try abortMultipartUpload(context)
        case .listMultipartUploads: try listMultipartUploads(context)
        case .headBucket: headBucket(context)
        case .listBuckets: listBuckets()
        case .unknown:
            let request = context.request
            throw .notImplemented("\(request.method) \(request.path)?\(request.query)")
        }
    }

    private static func requestID(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}

extension LoopbackServer.Response {
    /// `xml` with status 200.
    static func document(_ xml: XMLText) -> Self {
        Self(headers: [("Content-Type", "application/xml")], body: .data(xml.data))
    }

    static func failure(_ error: ObjectStoreError, resource: String, requestID: String) -> Self {
        // 304 has neither a body nor its length.
        let document = error.status == 304 ? Data() : error.document(resource: resource, requestID: requestID)
        return Self(
            status: error.status,
            headers: error.headers + [("Content-Type", "application/xml"), ("x-amz-request-id", requestID)],
            body: .data(document)
        )
    }
}
