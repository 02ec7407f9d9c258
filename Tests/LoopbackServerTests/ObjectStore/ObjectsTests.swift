import Files
import Foundation
import LoopbackServer
import Testing

/// GetObject, HeadObject, PutObject, DeleteObject and DeleteObjects.
@Suite(.timeLimit(.minutes(10))) struct ObjectsTests {
    private let store: LoopbackObjectStore
    private var client: StoreClient

    init() throws {
        store = try LoopbackObjectStore(
            .init("photos"),
            .init("versions", isVersioned: true),
            .init("payer", requesterPays: true)
        )
        client = StoreClient(store)
    }

    @Test func keepsWhatAPutBrings() throws {
        let fields = [
            "content-type": "image/jpeg", "cache-control": "max-age=60", "x-amz-meta-source": "a camera",
            "x-amz-storage-class": "STANDARD_IA",
        ]
        let put = try client.send(
            "PUT",
            "/photos/a/b%20%C3%A9.jpg",
            headers: fields,
            body: Data("hello".utf8)
        )
        #expect(put.status == 200)
        #expect(put.headers["etag"] == "\"5d41402abc4b2a76b9719d911017c592\"")
        #expect(store.objects(in: "photos") == ["a/b é.jpg"])
        #expect(store.object("a/b é.jpg", in: "photos")?.data == Data("hello".utf8))
        for method in ["GET", "HEAD"] {
            let answer = try client.send(method, "/photos/a/b%20%C3%A9.jpg")
            #expect(answer.status == 200)
            #expect(answer.text == (method == "GET" ? "hello" : ""))
            #expect(answer.headers["content-length"] == "5")
            for (name, value) in fields { #expect(answer.headers[name] == value) }
            #expect(answer.headers["x-amz-request-id"]?.count == 16)
        }
    }

    @Test mutating func readsTheBucketFromTheHost() throws {
        store.put(Data("one".utf8), key: "photos/key", bucket: "photos")
        client.host = "photos.localhost:\(client.port)"
        #expect(try client.send("GET", "/photos/key").text == "one")
        #expect(store.operations.map(\.bucket) == ["photos"])
        #expect(store.operations.map(\.key) == ["photos/key"])
    }

    /// Two ways to write `é` are two keys.
    @Test func comparesKeysByTheirBytes() throws {
        #expect(try client.send("PUT", "/photos/%C3%A9", body: Data("composed".utf8)).status == 200)
        #expect(try client.send("PUT", "/photos/e%CC%81", body: Data("decomposed".utf8)).status == 200)
        #expect(store.objects(in: "photos").count == 2)
        #expect(try client.send("GET", "/photos/%C3%A9").text == "composed")
    }

    @Test(arguments: [
        ("range", "bytes=2-4", 206, "234"), ("range", "bytes=-2", 206, "89"),
        ("range", "bytes=10-", 416, nil),
        ("if-match", "\"781e5e245d69b566979b86e28d23f2c7\"", 200, "0123456789"),
        ("if-match", "\"x\"", 412, nil),
        ("if-none-match", "\"781e5e245d69b566979b86e28d23f2c7\"", 304, nil),
        ("if-none-match", "\"x\"", 200, "0123456789"),
        ("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT", 304, nil),
        ("if-modified-since", "Sat, 01 Jan 2000 00:00:00 GMT", 200, "0123456789"),
        ("if-unmodified-since", "Sat, 01 Jan 2000 00:00:00 GMT", 412, nil),
    ])
    func answersConditionsAndRanges(_ name: String, _ value: String, _ status: Int, _ body: String?) throws {
        store.put(Data("0123456789".utf8), key: "key", bucket: "photos")
        let answer = try client.send("GET", "/photos/key", headers: [name: value])
        #expect(answer.status == status)
        if let body { #expect(answer.text == body) }
    }

    @Test func resumesOnlyTheSameObject() throws {
        store.put(Data("0123456789".utf8), key: "key", bucket: "photos")
        let etag = try #require(store.object("key", in: "photos")?.etag)
        let range = ["range": "bytes=5-"]
        #expect(
            try client.send("GET", "/photos/key", headers: range.merging(["if-range": etag]) { $1 }).text
                == "56789"
        )
        let other = try client.send(
            "GET",
            "/photos/key",
            headers: range.merging(["if-range": "\"x\""]) { $1 }
        )
        #expect(other.status == 200)
        #expect(other.text == "0123456789")
    }

    @Test func writesOnCondition() throws {
        func put(_ body: String, _ headers: [String: String]) throws -> Int {
            try client.send("PUT", "/photos/key", headers: headers, body: Data(body.utf8)).status
        }
        #expect(try put("0", ["if-match": "\"x\""]) == 404)
        #expect(try put("1", ["if-none-match": "*"]) == 200)
        #expect(try put("2", ["if-none-match": "*"]) == 412)
        #expect(try put("3", ["if-match": "\"x\""]) == 412)
        #expect(store.object("key", in: "photos")?.data == Data("1".utf8))
        let etag = try #require(store.object("key", in: "photos")?.etag)
        #expect(try put("4", ["if-match": etag]) == 200)
        #expect(try put("5", ["if-none-match": etag]) == 501)
    }

    /// Values for `123456789`, the check input of the catalogue of CRC algorithms; the digests are Python's.
    @Test(arguments: [
        ("crc32", "y/Q5Jg=="), ("crc32c", "4waSgw=="), ("crc64nvme", "rosUhgp5mIg="),
        ("sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="), ("sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="),
    ])
    func checksAndKeepsChecksums(_ name: String, _ value: String) throws {
        let header = "x-amz-checksum-\(name)"
        let put = try client.send(
            "PUT",
            "/photos/key",
            headers: [header: value],
            body: Data("123456789".utf8)
        )
        #expect(put.status == 200, "\(put.text)")
        let get = try client.send("GET", "/photos/key", headers: ["x-amz-checksum-mode": "ENABLED"])
        #expect(get.headers[header] == value)
        #expect(try client.send("GET", "/photos/key").headers[header] == nil)
        let wrong = try client.send(
            "PUT",
            "/photos/key",
            headers: [header: value],
            body: Data("123456788".utf8)
        )
        #expect(wrong.status == 400)
        #expect(wrong.element("Code") == "BadDigest")
    }

    @Test func checksContentMD5() throws {
        let headers = ["content-md5": "XUFAKrxLKna5cZ2REBfFkg=="]
        #expect(
            try client.send("PUT", "/photos/key", headers: headers, body: Data("hello".utf8)).status == 200
        )
        #expect(
            try client.send("PUT", "/photos/key", headers: headers, body: Data("hallo".utf8)).element("Code")
                == "BadDigest"
        )
    }

    @Test func deletesManyAtOnce() throws {
        for key in ["a", "b&c", "d"] { store.put(Data(), key: key, bucket: "photos") }
        let body = Data(
            "<Delete><Object><Key>a</Key></Object><Object><Key>b&amp;c</Key></Object></Delete>".utf8
        )
        #expect(try client.send("POST", "/photos?delete", body: body).status == 400)
        let md5 = Data(Digest.md5.bytes(of: body)).base64EncodedString()
        let answer = try client.send("POST", "/photos?delete", headers: ["content-md5": md5], body: body)
        #expect(answer.elements("Key") == ["a", "b&amp;c"])
        #expect(store.objects(in: "photos") == ["d"])
        #expect(try client.send("DELETE", "/photos/d").status == 204)
        #expect(try client.send("DELETE", "/photos/d").status == 204)
        #expect(store.objects(in: "photos").isEmpty)
    }

    @Test func keepsVersions() throws {
        let first = try #require(
            client.send("PUT", "/versions/key", body: Data("one".utf8)).headers["x-amz-version-id"]
        )
        _ = try client.send("PUT", "/versions/key", body: Data("two".utf8))
        #expect(try client.send("GET", "/versions/key").text == "two")
        #expect(try client.send("GET", "/versions/key?versionId=\(first)").text == "one")
        let marker = try client.send("DELETE", "/versions/key")
        #expect(marker.headers["x-amz-delete-marker"] == "true")
        #expect(try client.send("GET", "/versions/key").status == 404)
        #expect(try client.send("GET", "/versions/key?versionId=\(first)").text == "one")
        #expect(try client.send("GET", "/versions/key?versionId=other").element("Code") == "NoSuchVersion")
    }

    @Test func wantsTheRequesterToPay() throws {
        store.put(Data("one".utf8), key: "key", bucket: "payer")
        #expect(try client.send("GET", "/payer/key").status == 403)
        let paid = try client.send("GET", "/payer/key", headers: ["x-amz-request-payer": "requester"])
        #expect(paid.text == "one")
        #expect(paid.headers["x-amz-request-charged"] == "requester")
    }
}
