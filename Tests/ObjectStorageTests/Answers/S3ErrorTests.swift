import Foundation
import Testing

@testable import ObjectStorage
@testable import Transport

struct S3ErrorTests {
    private func failure(_ status: Int, _ body: String, headers: [String: String] = [:]) -> S3Error? {
        let head = ResponseHead(
            status: status,
            version: "HTTP/1.1",
            headers: headers.map { .init($0.key, $0.value) }
        )
        return S3Error(head, body: Data(body.utf8))
    }

    @Test func readsTheDocument() throws {
        let body = """
            <?xml version="1.0"?>
            <Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong \u{1b}[31m region</Message>
            <Region>eu-west-1</Region><RequestId>R1</RequestId></Error>
            """.replacingOccurrences(of: "\u{1b}", with: "&#127;")
        let error = try #require(failure(400, body))
        #expect(error.code == "AuthorizationHeaderMalformed")
        #expect(error.region == "eu-west-1" && error.requestID == "R1")
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func seesErrorsInSuccesses() {
        #expect(failure(200, "<Error><Code>InternalError</Code></Error>")?.isTransient == true)
        #expect(failure(200, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>") == nil)
        #expect(failure(206, "bytes") == nil)
    }

    @Test(arguments: [
        (503, "SlowDown", true, true), (429, "", true, true), (500, "InternalError", false, true),
        (409, "ConditionalRequestConflict", false, true), (409, "BucketAlreadyExists", false, false),
        (412, "PreconditionFailed", false, false), (403, "AccessDenied", false, false),
        (400, "RequestTimeout", false, true), (520, "", false, true),
        (507, "XMinioStorageFull", false, true), (501, "NotImplemented", false, false),
        (400, "BadDigest", false, true), (400, "InvalidDigest", false, false),
        (200, "ServiceUnavailable", true, true),
    ])
    func tellsWhetherToWait(status: Int, code: String, isSlowDown: Bool, isTransient: Bool) throws {
        let error = try #require(failure(status, code.isEmpty ? "" : "<Error><Code>\(code)</Code></Error>"))
        #expect(error.isSlowDown == isSlowDown)
        #expect(error.isTransient == isTransient)
    }

    @Test(arguments: [
        "<html>not found</html>", "", "plain", "<Error>",
        "<!DOCTYPE Error [<!ENTITY a 'b'>]><Error>&a;</Error>",
    ])
    func takesAnyBody(body: String) throws {
        let error = try #require(failure(404, body))
        #expect(error.code.isEmpty && error.description.contains("404"))
    }

    @Test(
        "what remains of a refusal names the setting or the cause",
        arguments: [
            (301, "PermanentRedirect", "set storage.s3.region to eu-west-1"),
            (400, "AuthorizationHeaderMalformed", "set storage.s3.region to eu-west-1"),
            (400, "InvalidToken", "check AWS_SESSION_TOKEN"),
            (403, "InvalidAccessKeyId", "AWS_SESSION_TOKEN, too"),
            (404, "NoSuchBucket", "check the bucket's name and the endpoint"),
        ]
    )
    func namesTheRemedy(status: Int, code: String, words: String) throws {
        let body = "<Error><Code>\(code)</Code><Region>eu-west-1</Region></Error>"
        #expect(try #require(failure(status, body)).description.contains(words))
        #expect(
            try #require(failure(301, "")).description.contains("set storage.s3.region to that of the bucket")
        )
    }

    @Test(
        "an answer without a document names what was asked, the endpoint and the likely causes",
        arguments: [
            (403, "s3:ListBucket"), (401, "check the credentials"),
            (404, "there is no such object or bucket"),
            (405, "check that the endpoint is an S3 service"),
            (400, "if the server speaks TLS, write https://127.0.0.1:8333"),
        ]
    )
    func namesTheCauses(status: Int, words: String) throws {
        let head = ResponseHead(status: status, version: "HTTP/1.1", headers: [])
        let error = try #require(S3Error(head, body: Data(), method: "HEAD"))
        let place = ObjectLocation(bucket: "b", key: "k")
        let told = StoreError(error, place, to: "look for", at: "http://127.0.0.1:8333").description
        let beginning =
            "cannot look for s3://b/k at http://127.0.0.1:8333: the object store answered \(status) to HEAD; "
        #expect(told.hasPrefix(beginning) && told.contains(words) && told.contains("S3 service"), "\(told)")
        #expect(!StoreError(error, place, to: "look for").description.contains(" at "))
    }

    @Test func aBusyStoreHasNoOtherRemedyThanTime() throws {
        #expect(try #require(failure(503, "")).description == "the object store answered 503")
    }

    @Test func thePathOfAnEndpointIsNamedWhereNothingIsFound() throws {
        let missing = try #require(failure(404, "<Error><Code>NoSuchKey</Code></Error>"))
        let place = ObjectLocation(bucket: "b", key: "k")
        let told = StoreError(missing, place, to: "read", at: "http://a:1/path").description
        #expect(told.contains("begins with the endpoint's path, /path: remove it"), "\(told)")
        #expect(!StoreError(missing, place, to: "read", at: "http://a:1").description.contains("path"))
    }
}
