/// Understands a request as an operation: path style and virtual-host style, by method, key and query.
extension LoopbackObjectStore.Operation {
    /// - Throws: `InvalidURI` if the path or the query is not percent-encoded UTF-8.
    init(_ request: LoopbackServer.Request) throws(ObjectStoreError) {
        guard let path = PercentEncoding.decode(request.path),
            let parameters = QueryParameters(query: request.query)
        else { throw ObjectStoreError(400, code: "InvalidURI", "Couldn't parse the specified URI.") }
        var rest = path.utf8.dropFirst()
        var bucket = Self.bucket(host: request.headers["host"] ?? "")
        if bucket == nil {
            let name = rest.prefix { $0 != UInt8(ascii: "/") }
            rest = rest.dropFirst(name.count + 1)
            bucket = String(Substring(name))
        }
        let key = String(Substring(rest))
        self.init(
            kind: Self.kind(of: request, bucket: bucket ?? "", key: key, parameters),
            bucket: bucket ?? "",
            key: key,
            request: request,
            path: path,
            parameters: parameters
        )
    }

    /// The bucket that `host` names: `photos` for `photos.localhost:9000` and `photos.s3.eu-west-1.amazonaws.com`; nil for
    /// path style.
    private static func bucket(host: String) -> String? {
        let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
        if let end = name.firstRange(of: ".localhost".utf8), end.upperBound == name.endIndex {
            return String(name[..<end.lowerBound])
        }
        guard let service = name.firstRange(of: ".s3.".utf8) ?? name.firstRange(of: ".s3-".utf8) else {
            return nil
        }
        return String(name[..<service.lowerBound])
    }

    private static func kind(
        of request: LoopbackServer.Request,
        bucket: String,
        key: String,
        _ parameters: QueryParameters
    ) -> Kind {
        guard !bucket.isEmpty else { return request.method == "GET" ? .listBuckets : .unknown }
        guard !key.isEmpty else {
            return switch request.method {
            case "HEAD": .headBucket
            case "POST" where parameters.contains("delete"): .deleteObjects
            case "GET" where parameters.contains("uploads"): .listMultipartUploads
            case "GET" where parameters["list-type"] == "2": .listObjects
            default: .unknown
            }
        }
        let isUpload = parameters.contains("uploadId")
        return switch request.method {
        case "GET" where isUpload: .listParts
        case "GET" where !hasSubresource(parameters): .getObject
        case "HEAD": .headObject
        case "PUT" where request.headers["x-amz-copy-source"] != nil: .unknown
        case "PUT" where isUpload: .uploadPart
        case "PUT" where !hasSubresource(parameters): .putObject
        case "POST" where isUpload: .completeMultipartUpload
        case "POST" where parameters.contains("uploads"): .createMultipartUpload
        case "DELETE" where isUpload: .abortMultipartUpload
        case "DELETE" where !hasSubresource(parameters): .deleteObject
        default: .unknown
        }
    }

    /// True for requests about an object's access list, tags and the like, which are not about its bytes.
    private static func hasSubresource(_ parameters: QueryParameters) -> Bool {
        parameters.all.contains {
            ["acl", "attributes", "legal-hold", "retention", "tagging", "torrent"].contains($0.name)
        }
    }
}
