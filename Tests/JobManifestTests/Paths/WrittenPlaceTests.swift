import JobFixtures
import JobManifest
import ObjectStorage
import Testing

/// Texts that name folders, files and buckets, and URLs that look like one of them.
@Suite struct WrittenPlaceTests {
    @Test(
        "a text without a scheme is a path, also with a colon",
        arguments: [
            ("out", "out"), ("/made/x", "/made/x"), ("", ""), ("a:b/c", "a:b/c"), ("./s3:/x", "./s3:/x"),
            ("-", "-"), ("a//b", "a//b"), ("file:///made/a%20b", "/made/a b"), ("FILE://localhost/x", "/x"),
            ("file:///a%", "/a%"),
            ("file:/x", "/x"),
        ]
    )
    func paths(text: String, path: String) throws {
        #expect(try WrittenPlace(text) == .path(path))
    }

    @Test func objects() throws {
        #expect(try WrittenPlace("s3://b/a b%20c") == .object(ObjectLocation(bucket: "b", key: "a b%20c")))
        #expect(try WrittenPlace("S3://b").isWholeBucket && !WrittenPlace("s3://b/k").isWholeBucket)
    }

    @Test(
        "other URLs are refused, with what can be used in their place",
        arguments: [
            (
                "gs://x/y",
                #"has the scheme "gs", which is not supported: name a path of this machine or s3://"#
            ),
            ("gs://x/y", "Google Cloud Storage also speaks the protocol of S3"),
            ("azure://x/y", "Azure Blob Storage is only read"), ("az:x", #"has the scheme "az""#),
            ("ftp://a/b", #"has the scheme "ftp", which is not supported"#),
            ("https://thumbs.s3.amazonaws.com/x/y%20z", "is a URL of the web: write s3://thumbs/x/y z"),
            ("https://a.b.s3.eu-west-1.amazonaws.com", "write s3://a.b/"),
            ("HTTPS://s3.us-west-2.amazonaws.com/thumbs/x", "write s3://thumbs/x"),
            ("https://s3.dualstack.eu-west-1.amazonaws.com/thumbs/x", "write s3://thumbs/x"),
            ("https://s3.amazonaws.com/", "name a path of this machine, or s3://bucket/prefix"),
            ("http://minio.example:9000/thumbs", "the address of the service in storage.s3.endpoint"),
            ("https://s3.amazonaws.com.example.org/b", "the address of the service"),
            ("s3:/thumbs/x", "write s3://thumbs/x"), ("s3:thumbs/x", "write s3://thumbs/x"),
            ("S3:", "write s3://bucket/prefix"), ("s3:///x", "names no bucket: the bucket is missing"),
            ("s3://bü/x", "names no bucket: the bucket has characters"),
            ("file://host/x", "is no path: a file: URL has an absolute path of this machine"),
            ("file:x", "is no path"), ("file:///a?b", "write ? as %3F"),
        ]
    )
    func refused(text: String, words: String) {
        #expect { try WrittenPlace(text) } throws: {
            ($0 as? TextError)?.description.contains(words) ?? false
        }
    }

    @Test("a manifest's destination is refused at its place, and made no folder")
    func destination() throws {
        for (text, words) in [
            ("gs://x/y", "not supported"), ("https://b.s3.amazonaws.com/x", "write s3://b/x"),
        ] {
            let errors = try ManifestFolder().errors(
                #"{"sources": [{"urls": []}], "destination": "\#(text)"}"#
            )
            #expect(errors.count == 1, "\(errors)")
            #expect(errors[0].hasPrefix("1:44: destination: ") && errors[0].contains(words), "\(errors)")
        }
        let file = try ManifestFolder().read(#"{"sources": [{"urls": []}], "destination": "file:///made"}"#)
        #expect(file.destination == .folder("/made"))
    }
}
