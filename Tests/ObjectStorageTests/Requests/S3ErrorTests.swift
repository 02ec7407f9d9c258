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
        (400, "RequestTimeout", false, true),
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
}
