import Files
import Foundation
import LoopbackServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadsTests {
    private let store: LoopbackObjectStore
    private let client: StoreClient

    init() throws {
        store = try LoopbackObjectStore(.init("photos"))
        store.minimumPartSize = 4
        client = StoreClient(store)
    }

    private func begin(_ key: String = "key", headers: [String: String] = [:]) throws -> String {
        try #require(client.send("POST", "/photos/\(key)?uploads", headers: headers).element("UploadId"))
    }

    private func upload(_ part: Int, of id: String, _ text: String, headers: [String: String] = [:]) throws
        -> String
    {
        let target = "/photos/key?partNumber=\(part)&uploadId=\(id)"
        let answer = try client.send("PUT", target, headers: headers, body: Data(text.utf8))
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.headers["etag"])
    }

    private func complete(
        _ id: String,
        _ parts: [(Int, String)],
        headers: [String: String] = [:]
    ) throws -> StoreClient.Answer {
        let body = parts.map { "<Part><PartNumber>\($0.0)</PartNumber><ETag>\($0.1)</ETag></Part>" }.joined()
        return try client.send(
            "POST",
            "/photos/key?uploadId=\(id)",
            headers: headers,
            body: Data("<CompleteMultipartUpload>\(body)</CompleteMultipartUpload>".utf8)
        )
    }

    @Test func joinsItsParts() throws {
        let id = try begin(headers: ["content-type": "image/jpeg"])
        let second = try upload(2, of: id, "6")
        let first = try upload(1, of: id, "12345")
        #expect(store.uploads.map(\.id) == [id])
        let listed = try client.send("GET", "/photos/key?uploadId=\(id)")
        #expect(listed.elements("PartNumber") == ["1", "2"])
        #expect(listed.elements("Size") == ["5", "1"])
        #expect(try client.send("GET", "/photos?uploads").elements("UploadId") == [id])
        let answer = try complete(id, [(1, first), (2, second)])
        #expect(answer.status == 200)
        // Python: hashlib.md5(hashlib.md5(b"12345").digest() + hashlib.md5(b"6").digest()).hexdigest()
        #expect(answer.element("ETag") == "&quot;c4ae2f4629dacf89108a067209debdb8-2&quot;")
        #expect(store.object("key", in: "photos")?.data == Data("123456".utf8))
        #expect(store.object("key", in: "photos")?.headers["content-type"] == "image/jpeg")
        #expect(store.uploads.isEmpty)
        #expect(try complete(id, [(1, first), (2, second)]).element("Code") == "NoSuchUpload")
    }

    @Test func refusesPartsThatAreNotThere() throws {
        let id = try begin()
        let (first, second) = (try upload(1, of: id, "123"), try upload(2, of: id, "4"))
        #expect(try complete(id, [(2, second), (1, first)]).element("Code") == "InvalidPartOrder")
        #expect(try complete(id, [(1, second)]).element("Code") == "InvalidPart")
        #expect(try complete(id, [(3, first)]).element("Code") == "InvalidPart")
        #expect(try complete(id, [(1, first), (2, second)]).element("Code") == "EntityTooSmall")
        #expect(try complete(id, []).element("Code") == "MalformedXML")
        #expect(try client.send("POST", "/photos/key?uploadId=\(id)", body: Data("<a".utf8)).status == 400)
        #expect(store.objects(in: "photos").isEmpty)
        #expect(store.uploads.count == 1)
    }

    @Test func keepsTheConditionUntilTheEnd() throws {
        let id = try begin()
        let part = try upload(1, of: id, "new")
        store.put(Data("old".utf8), key: "key", bucket: "photos")
        #expect(try complete(id, [(1, part)], headers: ["if-none-match": "*"]).status == 412)
        #expect(store.object("key", in: "photos")?.data == Data("old".utf8))
        #expect(store.uploads.count == 1)
        #expect(try client.send("DELETE", "/photos/key?uploadId=\(id)").status == 204)
        #expect(store.uploads.isEmpty)
        #expect(try client.send("DELETE", "/photos/key?uploadId=\(id)").status == 404)
    }

    @Test func combinesTheChecksumsOfParts() throws {
        let id = try begin(headers: ["x-amz-checksum-algorithm": "SHA256"])
        let sums = ["12345", "6"].map { Data(Digest.sha256.bytes(of: Data($0.utf8))) }
        let first = try upload(
            1,
            of: id,
            "12345",
            headers: ["x-amz-checksum-sha256": sums[0].base64EncodedString()]
        )
        let second = try upload(
            2,
            of: id,
            "6",
            headers: ["x-amz-checksum-sha256": sums[1].base64EncodedString()]
        )
        let expected = Data(Digest.sha256.bytes(of: sums[0] + sums[1])).base64EncodedString() + "-2"
        let parts = [(1, first), (2, second)]
        #expect(
            try complete(id, parts, headers: ["x-amz-checksum-sha256": "x-2"]).element("Code") == "BadDigest"
        )
        #expect(try complete(id, parts).element("ChecksumSHA256") == expected)
        let get = try client.send("GET", "/photos/key", headers: ["x-amz-checksum-mode": "ENABLED"])
        #expect(get.headers["x-amz-checksum-sha256"] == expected)
        #expect(get.headers["x-amz-checksum-type"] == "COMPOSITE")
    }
}
