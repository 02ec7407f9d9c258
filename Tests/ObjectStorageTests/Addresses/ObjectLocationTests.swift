import Foundation
import ObjectStorage
import Testing

struct ObjectLocationTests {
    @Test(arguments: [
        ("s3://bucket/key", "bucket", "key"), ("S3://bucket/a/b c", "bucket", "a/b c"),
        ("s3://bucket/%41+?x#y", "bucket", "%41+?x#y"), ("s3://bucket", "bucket", ""),
        ("s3://bucket/", "bucket", ""),
        ("s3://bucket//a//", "bucket", "/a//"), ("s3://My_old.bucket/k", "My_old.bucket", "k"),
        ("s3://bucket/e\u{301}", "bucket", "e\u{301}"), ("s3://bucket/\u{301}x", "bucket", "\u{301}x"),
    ])
    func takesTheKeyAsItIs(text: String, bucket: String, key: String) throws {
        let location = try #require(ObjectLocation(text))
        #expect(location.bucket == bucket)
        #expect(Array(location.key.utf8) == Array(key.utf8))
        // The form of URLs keeps every byte.
        let url = try #require(location.url)
        let again = try #require(ObjectLocation(url: url))
        #expect(again.bucket == bucket && Array(again.key.utf8) == Array(key.utf8), "\(url)")
    }

    @Test(arguments: [
        "", "s3:", "s3:/bucket/key", "s3://", "s3:///key", "s3://bu cket/key", "http://bucket/key", "s3//a/b",
        "s3://./key", "s3://../key", "s3://.../key", "S3://..",
    ])
    func refusesOtherTexts(text: String) {
        #expect(ObjectLocation(text) == nil)
        #expect(URL(string: text).flatMap { ObjectLocation(url: $0) } == nil, "as a URL")
    }

    @Test func leavesTheVersionToTheQuery() throws {
        let url = try #require(URL(string: "s3://bucket/a%3Fb?versionId=7"))
        #expect(ObjectLocation(url: url) == ObjectLocation(bucket: "bucket", key: "a?b"))
    }

    @Test(arguments: [("", "x", "x"), ("a", "x", "a/x"), ("a/", "x", "a/x"), ("a", "", "a/")])
    func appendsBelow(prefix: String, name: String, key: String) {
        #expect(ObjectLocation(bucket: "b", key: prefix).appending(name).key == key)
    }
}
