import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The store as botocore sees it, the client of AWS's own, whose reading of the specification is not ours.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Botocore.isInstalled)) struct BotocoreTests {
    private let folder: TemporaryFolder
    private let store: LoopbackObjectStore

    init() throws {
        folder = try TemporaryFolder()
        store = try LoopbackObjectStore(
            buckets: [
                .init("photos"), .init("far", region: "eu-west-1"), .init("payer", requesterPays: true),
            ],
            credentials: [
                StoreClient.credential,
                .init(accessKeyID: "ASIATEST", secretAccessKey: "temporary", sessionToken: "to/k+en="),
            ]
        )
    }

    @Test(arguments: [
        "keys('path')", "keys('virtual')", "keys('path', token=True)", "listing()", "multipart()",
        "presigned()",
        "checksums()", "errors()", "redirect()", "payer()",
    ])
    func agrees(_ call: String) async throws {
        let outcome = try await Botocore.run(call, at: store.server.port, in: folder)
        #expect(outcome.exit == 0, "\(outcome.errors)")
        #expect(store.requests.count > 1)
        #expect(store.uploads.isEmpty)
    }

    /// The control: the same calls with another secret all fail.
    @Test func disagreesAboutAnotherSecret() async throws {
        store.credentials = [.init(accessKeyID: StoreClient.credential.accessKeyID, secretAccessKey: "other")]
        let outcome = try await Botocore.run("keys('path')", at: store.server.port, in: folder)
        #expect(outcome.exit == 1)
        #expect(outcome.errors.contains("SignatureDoesNotMatch"))
    }
}

private enum Botocore {
    static var isInstalled: Bool {
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/botocore")
    }

    static func run(_ call: String, at port: UInt16, in folder: TemporaryFolder) async throws
        -> Program.Outcome
    {
        let arguments = ["-c", script + call, String(port)]
        return try await Program(path: "/usr/bin/python3", arguments, in: folder.path).wait()
    }

    private static let script = #"""
        import hashlib, os, socket, sys, urllib.error, urllib.request
        from botocore.config import Config
        from botocore.exceptions import ClientError
        from botocore.session import Session

        resolve = socket.getaddrinfo
        socket.getaddrinfo = lambda host, *rest, **more: resolve(
            "127.0.0.1" if str(host).endswith("localhost") else host, *rest, **more)
        KEYS = ["plain.txt", "a b", "a+b=c&d?e#f", "é/ü ñ", "e\u0301", "dots/./../x", "//two//", "%41", "~'()*!@$,;:",
                "tab\there", "😀", "<>&\"", "\\^`{}[]|"]

        def client(style="path", region="us-east-1", token=False, **config):
            host = "localhost" if style == "virtual" else "127.0.0.1"
            key = ("ASIATEST", "temporary", "to/k+en=") if token else ("AKIDTEST", "se/cr+et", None)
            return Session().create_client(
                "s3", region_name=region, endpoint_url=f"http://{host}:{sys.argv[1]}", aws_access_key_id=key[0],
                aws_secret_access_key=key[1], aws_session_token=key[2],
                config=Config(s3={"addressing_style": style}, retries={"total_max_attempts": 1}, **config))

        def fails(code, status, call):
            try:
                call()
            except ClientError as error:
                answer = error.response
                assert (answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]) == (code, status), answer
            else:
                raise AssertionError("no " + code)

        def keys(style, token=False):
            s3 = client(style, token=token)
            for key in KEYS:
                body = key.encode() * 3
                put = s3.put_object(Bucket="photos", Key=key, Body=body, Metadata={"n": "v  w"}, ContentType="image/jpeg")
                assert put["ETag"] == '"%s"' % hashlib.md5(body).hexdigest()
                get = s3.get_object(Bucket="photos", Key=key)
                assert get["Body"].read() == body and get["ContentType"] == "image/jpeg" and "n" in get["Metadata"]
                assert s3.head_object(Bucket="photos", Key=key)["ContentLength"] == len(body)
            deleted = s3.delete_objects(Bucket="photos", Delete={"Objects": [{"Key": key} for key in KEYS]})
            assert {entry["Key"] for entry in deleted["Deleted"]} == set(KEYS)
            assert s3.list_objects_v2(Bucket="photos")["KeyCount"] == 0

        def listing():
            s3 = client()
            for key in KEYS:
                s3.put_object(Bucket="photos", Key=key, Body=b"")
            pages = s3.get_paginator("list_objects_v2").paginate(Bucket="photos", PaginationConfig={"PageSize": 3})
            assert [entry["Key"] for page in pages for entry in page["Contents"]] == sorted(KEYS, key=str.encode)
            pages = s3.get_paginator("list_objects_v2").paginate(
                Bucket="photos", Delimiter="/", PaginationConfig={"PageSize": 1})
            found = [entry["Prefix"] for page in pages for entry in page.get("CommonPrefixes", [])]
            assert found == ["/", "dots/", "é/"], found

        def multipart():
            s3 = client()
            blobs = [os.urandom(5 * 2**20), os.urandom(1000)]
            upload = s3.create_multipart_upload(Bucket="photos", Key="é b")["UploadId"]
            place = {"Bucket": "photos", "Key": "é b", "UploadId": upload}
            assert s3.list_multipart_uploads(Bucket="photos")["Uploads"][0]["Key"] == "é b"
            parts = [{"PartNumber": number, "ETag": s3.upload_part(PartNumber=number, Body=blob, **place)["ETag"]}
                     for number, blob in enumerate(blobs, 1)]
            assert [part["Size"] for part in s3.list_parts(**place)["Parts"]] == [5 * 2**20, 1000]
            done = s3.complete_multipart_upload(MultipartUpload={"Parts": parts}, **place)
            sums = b"".join(hashlib.md5(blob).digest() for blob in blobs)
            assert done["ETag"] == '"%s-2"' % hashlib.md5(sums).hexdigest()
            assert s3.get_object(Bucket="photos", Key="é b")["Body"].read() == b"".join(blobs)
            upload = s3.create_multipart_upload(Bucket="photos", Key="x")["UploadId"]
            s3.abort_multipart_upload(Bucket="photos", Key="x", UploadId=upload)

        def presigned():
            for style, token in (("path", False), ("virtual", False), ("path", True)):
                s3 = client(style, token=token, signature_version="s3v4")
                for key in KEYS:
                    s3.put_object(Bucket="photos", Key=key, Body=key.encode())
                    url = s3.generate_presigned_url("get_object", Params={"Bucket": "photos", "Key": key}, ExpiresIn=60)
                    assert urllib.request.urlopen(url).read() == key.encode(), url
                    try:
                        urllib.request.urlopen(url.replace("X-Amz-Expires=60", "X-Amz-Expires=61"))
                    except urllib.error.HTTPError as error:
                        assert error.code == 403 and b"SignatureDoesNotMatch" in error.read()
                    else:
                        raise AssertionError("a changed URL was accepted")

        def checksums():
            s3 = client()
            for name in ("CRC32", "SHA1", "SHA256"):
                put = s3.put_object(Bucket="photos", Key="sum", Body=b"hello " * 1000, ChecksumAlgorithm=name)
                get = s3.get_object(Bucket="photos", Key="sum", ChecksumMode="ENABLED")
                assert get["Body"].read() == b"hello " * 1000
                assert get["Checksum" + name] == put["Checksum" + name]

        def errors():
            s3 = client()
            fails("NoSuchKey", 404, lambda: s3.get_object(Bucket="photos", Key="none"))
            fails("404", 404, lambda: s3.head_object(Bucket="photos", Key="none"))
            fails("NoSuchBucket", 404, lambda: s3.get_object(Bucket="none", Key="none"))
            s3.put_object(Bucket="photos", Key="k", Body=b"0123456789")
            fails("InvalidRange", 416, lambda: s3.get_object(Bucket="photos", Key="k", Range="bytes=10-"))
            fails("PreconditionFailed", 412, lambda: s3.get_object(Bucket="photos", Key="k", IfMatch='"x"'))
            etag = s3.head_object(Bucket="photos", Key="k")["ETag"]
            fails("304", 304, lambda: s3.get_object(Bucket="photos", Key="k", IfNoneMatch=etag))
            fails("InvalidStorageClass", 400, lambda: s3.put_object(Bucket="photos", Key="k", StorageClass="NO"))

        def redirect():
            s3 = client()
            s3.put_object(Bucket="far", Key="k", Body=b"far")
            assert s3.get_object(Bucket="far", Key="k")["Body"].read() == b"far"

        def payer():
            s3 = client()
            fails("AccessDenied", 403, lambda: s3.list_objects_v2(Bucket="payer"))
            s3.put_object(Bucket="payer", Key="k", Body=b"p", RequestPayer="requester")
            got = s3.get_object(Bucket="payer", Key="k", RequestPayer="requester")
            assert got["RequestCharged"] == "requester"


        """#
}
